package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HealthRulesTest {

  private final Reporter reporter = new Reporter(List.of());
  private final Vitals vitals = new Vitals(reporter);

  @ParameterizedTest
  @CsvSource({
    "flusher, false",
    "registrar, false",
    "rescuer, false",
    "listener, true",
    "maintainer, true"
  })
  void aLoopThatKeepsFailingIsNamedAndMakesTheWorkerUnreadyOnlyIfJobsNeedTheLoop(
      String role, boolean ready) {
    vitals.polled();
    vitals.schemaIs(true);
    long since = System.nanoTime() - Duration.ofSeconds(20).toNanos();

    WorkerHealth health =
        HealthRules.judge(
            true,
            List.of(),
            List.of(new Loop.Trouble(role, since, "permission denied")),
            WorkerConfig.defaults(),
            vitals,
            reporter.database(),
            reporter.handlers(),
            null);

    assertThat(health.ready()).isEqualTo(ready);
    assertThat(health.reasons())
        .singleElement()
        .asString()
        .startsWith("The worker's thread '" + role + "' has failed for PT20")
        .endsWith("Last error: permission denied");
  }

  @ParameterizedTest
  @CsvSource({"flusher, false", "listener, false", "scheduler, true"})
  void aThreadThatHangsIsNamedAndCausesARestartUnlessItOnlyFiresSchedules(
      String role, boolean alive) {
    vitals.polled();
    vitals.schemaIs(true);

    WorkerHealth health =
        HealthRules.judge(
            true,
            List.of(role),
            List.of(),
            WorkerConfig.defaults(),
            vitals,
            reporter.database(),
            reporter.handlers(),
            null);

    assertThat(health.alive()).isEqualTo(alive);
    assertThat(health.ready()).isEqualTo(alive);
    assertThat(health.reasons())
        .containsExactly("The worker's thread '" + role + "' is dead or hangs.");
  }
}
