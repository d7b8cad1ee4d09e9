package dev.skipjack.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the warning about a job that is snoozed or released again and again. Without it, such a job
 * would remain unnoticed, because it never fails.
 */
class RepeatedReleaseLogTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  private final Held held = new Held(LEASE);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobThatIsSnoozedOrReleasedIsLoggedAtEachHundredthTime(boolean snoozed) {
    Ending ending =
        snoozed ? new Ending.Snoozed(Duration.ZERO, null) : Ending.Released.after(Duration.ZERO);
    held.store.add(TestJob.job());

    assertThat(logOf(99, ending)).isEmpty();
    assertThat(logOf(1, ending))
        .singleElement()
        .asString()
        .contains("WARN", "queue=q", "kind=k", "jobId=1", "uncountedAttempts=100");
    assertThat(logOf(99, ending)).isEmpty();
    assertThat(logOf(1, ending)).singleElement().asString().contains("uncountedAttempts=200");
  }

  private List<String> logOf(int attempts, Ending ending) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try {
      for (int i = 0; i < attempts; i++) {
        end(ending);
      }
    } finally {
      System.setErr(before);
    }
    return log.toString(UTF_8).lines().toList();
  }

  private void end(Ending ending) {
    Attempt attempt =
        Claimers.of(held.store, "k", LEASE, LowWaterMarks.FAST, System::nanoTime, "q")
            .claim(Map.of("q", 1), 1)
            .get(0);
    held.running.add(attempt);
    held.flusher.offer(attempt, ending);
    held.flusher.run();
  }
}
