package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WorkerSettingsTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);

  /** Compares all settings at once, so that the default of a new setting must be added here. */
  @Test
  void defaultsAreThoseOfTheDocument() {
    assertThat(WorkerConfig.defaults())
        .isEqualTo(
            new WorkerConfig(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofMillis(1_250),
                1_000,
                Duration.ofMillis(3),
                Duration.ofSeconds(10),
                Duration.ofSeconds(25),
                Duration.ofSeconds(5),
                new Retention(Duration.ofDays(7), Duration.ofDays(30)),
                true,
                true));
  }

  @Test
  void theHeartbeatIsAThirdOfTheLease() {
    assertThat(WorkerConfig.builder().lease(Duration.ofDays(1)).build().heartbeatInterval())
        .isEqualTo(Duration.ofHours(8));
  }

  static Stream<Arguments> refusedSettings() {
    return Stream.of(
        refused("Lease PT0.099S is not in PT0.1S..PT24H.", c -> c.lease(Duration.ofMillis(99))),
        refused(
            "Lease PT24H0.001S is not in PT0.1S..PT24H.",
            c -> c.lease(Duration.ofDays(1).plusMillis(1))),
        refused("Lease PT0S is not in", c -> c.lease(Duration.ZERO)),
        refused("Lease PT-1S is not in", c -> c.lease(Duration.ofSeconds(-1))),
        refused(
            "Heartbeat interval PT0.009S is not in PT0.01S..PT8H.",
            c -> c.heartbeatInterval(Duration.ofMillis(9))),
        refused(
            "Heartbeat interval PT8H0.001S is not in PT0.01S..PT8H.",
            c -> c.lease(Duration.ofDays(1)).heartbeatInterval(Duration.ofHours(8).plusMillis(1))),
        refused(
            "Heartbeat interval PT-1S is not in", c -> c.heartbeatInterval(Duration.ofSeconds(-1))),
        refused(
            "Lease PT30S is shorter than 3 heartbeat intervals of PT30S.",
            c -> c.heartbeatInterval(Duration.ofSeconds(30))),
        refused(
            "Lease PT2S is shorter than 3 heartbeat intervals of PT1S. Lengthen the lease or shorten the interval.",
            c -> c.lease(Duration.ofSeconds(2)).heartbeatInterval(Duration.ofSeconds(1))),
        refused(
            "Lease PT30S is shorter than 3 heartbeat intervals of PT10.000000001S.",
            c -> c.heartbeatInterval(Duration.ofSeconds(10).plusNanos(1))),
        refused(
            "Poll interval PT0.009S is not in PT0.01S..PT1H.",
            c -> c.pollInterval(Duration.ofMillis(9))),
        refused(
            "Poll interval PT1H0.001S is not in PT0.01S..PT1H.",
            c -> c.pollInterval(Duration.ofHours(1).plusMillis(1))),
        refused("Prefetch -1 is not in 0..1000.", c -> c.prefetch(-1)),
        refused("Prefetch 1001 is not in 0..1000.", c -> c.prefetch(1_001)),
        refused(
            "Flush interval PT-0.001S is not in PT0S..PT1S.",
            c -> c.flushInterval(Duration.ofMillis(-1))),
        refused(
            "Flush interval PT1.001S is not in PT0S..PT1S.",
            c -> c.flushInterval(Duration.ofMillis(1_001))),
        refused(
            "Rescue interval PT0.009S is not in PT0.01S..PT1H.",
            c -> c.rescueInterval(Duration.ofMillis(9))),
        refused(
            "Rescue interval PT1H0.001S is not in PT0.01S..PT1H.",
            c -> c.rescueInterval(Duration.ofHours(1).plusMillis(1))),
        refused(
            "Drain timeout PT-1S is not in PT0S..PT1H.",
            c -> c.drainTimeout(Duration.ofSeconds(-1))),
        refused(
            "Drain timeout PT1H0.001S is not in PT0S..PT1H.",
            c -> c.drainTimeout(Duration.ofHours(1).plusMillis(1))),
        refused(
            "Interrupt grace PT0.009S is not in PT0.01S..PT1H.",
            c -> c.interruptGrace(Duration.ofMillis(9))),
        refused(
            "Interrupt grace PT1H0.001S is not in PT0.01S..PT1H.",
            c -> c.interruptGrace(Duration.ofHours(1).plusMillis(1))),
        refused(
            "Archive retention PT-1S is not in 0..36500 days.",
            c -> c.retention(new Retention(Duration.ofSeconds(-1), Duration.ZERO))),
        refused(
            "Audit retention PT876024H is not in 0..36500 days.",
            c -> c.retention(new Retention(Duration.ZERO, Duration.ofDays(36_501)))));
  }

  private static Arguments refused(String sentence, UnaryOperator<WorkerConfig.Builder> offending) {
    return arguments(sentence, offending);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedSettings")
  void aSettingOutOfRangeIsRefusedWithItsValue(
      String sentence, UnaryOperator<WorkerConfig.Builder> offending) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> offending.apply(WorkerConfig.builder()).build())
        .withMessageStartingWith(sentence);
  }

  /** The bounds of the ranges are inclusive. */
  @Test
  void theMinimumAndTheMaximumAreAccepted() {
    Duration hour = Duration.ofHours(1);
    Duration shortest = Duration.ofMillis(10);
    assertThatNoException()
        .isThrownBy(
            () -> {
              of(Duration.ofMillis(100), shortest, shortest, 0, Duration.ZERO, Duration.ZERO);
              of(Duration.ofDays(1), Duration.ofHours(8), hour, 1_000, Duration.ofSeconds(1), hour);
            });
  }

  private static WorkerConfig of(
      Duration lease,
      Duration heartbeat,
      Duration others,
      int prefetch,
      Duration flush,
      Duration drain) {
    return new WorkerConfig(
        lease,
        heartbeat,
        others,
        prefetch,
        flush,
        others,
        drain,
        others,
        Retention.defaults(),
        true,
        true);
  }

  @Test
  void aWorkerWithoutQueueOrHandlerIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().build())
        .withMessageContaining("serves no queue");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Worker.on(new MemoryStore()).queue("q", 1).build())
        .withMessageContaining("has no handler");
  }

  @Test
  void aQueueOrKindNamedTwiceIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().handle(TYPE, (payload, context) -> Outcome.completed()))
        .withMessageContaining("Kind 'k' has a handler already");
    JobType<Integer> sameKind = JobType.of("k", Integer.class);
    assertThatIllegalArgumentException()
        .as("of another payload class")
        .isThrownBy(() -> handled().handle(sameKind, (payload, context) -> Outcome.completed()))
        .withMessage("Kind 'k' has a handler already. Register one handler for each kind.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().queue("q", 1).queue("q", 2))
        .withMessageContaining("Queue 'q' is served already");
  }

  @Test
  void invalidWeightsAreRefused() {
    LaneOrder order = LaneOrder.fair();
    assertThat(order.weighted(Map.of("q", 1)).reserve()).isEqualTo(LaneOrder.Reserve.A_TENTH);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> order.weighted(Map.of("q", 0)))
        .withMessage("Weight 0 of queue 'q' is not in 1..1000.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> order.weighted(Map.of("q", 1_001)))
        .withMessageContaining("Weight 1001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().queue("q", 1).order(order.weighted(Map.of("typo", 2))).build())
        .withMessageContaining("Queue 'typo' has a weight but is not served");
  }

  @Test
  void invalidQueuesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().queue("No Queue", 1))
        .withMessageContaining("'No Queue' is not allowed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().queue("q", 0))
        .withMessageContaining("Concurrency 0 of queue 'q'");
  }

  private static Worker.Builder handled() {
    return Worker.on(new MemoryStore()).handle(TYPE, (payload, context) -> Outcome.completed());
  }

  @Test
  @SuppressWarnings("NullAway") // callers may not check nulls
  void messagesNameTheNullArgument() {
    assertThatNullPointerException()
        .isThrownBy(() -> Worker.on(null))
        .withMessage("The queue must not be null.");
    Worker.Builder worker = Worker.on(new MemoryStore());
    assertThatNullPointerException()
        .isThrownBy(() -> worker.handle(null, (payload, context) -> Outcome.completed()))
        .withMessage("The job type must not be null.");
    assertThatNullPointerException()
        .isThrownBy(() -> worker.handle(TYPE, null))
        .withMessage("The handler of kind 'k' must not be null.");
  }
}
