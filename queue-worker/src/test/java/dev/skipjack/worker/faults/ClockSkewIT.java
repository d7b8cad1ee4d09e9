package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a worker on a machine whose clock is an hour slow or fast, simulated with libfaketime. */
@QueueTest
@Timeout(150)
class ClockSkewIT {

  private static final String FOLDER_PROPERTY = "skipjack.test.faketime";
  private static final List<String> FOLDERS =
      List.of(
          "/usr/lib/x86_64-linux-gnu/faketime",
          "/usr/lib/aarch64-linux-gnu/faketime",
          "/usr/lib/faketime",
          "/usr/lib64/faketime");

  @ParameterizedTest
  @ValueSource(strings = {"-1h", "+1h"})
  @Tag("soak")
  void clockThatIsAnHourOffMakesNoDifference(String offset, QueueDatabase database) {
    Optional<Path> library =
        Stream.concat(Stream.ofNullable(System.getProperty(FOLDER_PROPERTY)), FOLDERS.stream())
            .map(folder -> Path.of(folder, "libfaketimeMT.so.1"))
            .filter(Files::isReadable)
            .findFirst();
    assumeTrue(
        library.isPresent(),
        "libfaketime is not installed (Debian: libfaketime); -D%s names its folder"
            .formatted(FOLDER_PROPERTY));
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    fixture.enqueue(100, Task.Deed.WORK);
    fixture.execute(
        "UPDATE @jobs SET scheduled_at = clock_timestamp() + interval '3 seconds' WHERE id % 3 = 0");
    try (ForkedJvm worker = fork(database, library.get(), offset)) {
      worker.awaitLine("began", Duration.ofSeconds(90));
      fixture.assertAllDoneOnce();
    }
    assertThat(fixture.count("job_executions WHERE status <> 'succeeded'")).isZero();
    assertThat(
            fixture.count(
                "job_executions JOIN @jobs_archive ON jobs_archive.id = job_id WHERE job_executions.started_at < jobs_archive.scheduled_at"))
        .isZero();
    assertThat(
            fixture.count(
                "job_executions WHERE finished_at NOT BETWEEN started_at AND clock_timestamp()"))
        .isZero();
  }

  private static ForkedJvm fork(QueueDatabase database, Path library, String offset) {
    return ForkedJvm.of(ForkedWorker.class)
        .arguments(database.jdbcUrl(), database.schema(), "2")
        .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .environment("LD_PRELOAD", library.toString())
        .environment("FAKETIME", offset)
        .environment("DONT_FAKE_MONOTONIC", "1") // otherwise waits never end
        .start();
  }
}
