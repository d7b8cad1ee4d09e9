package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerSettingsTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);

  @Test
  void defaultsAreThoseOfTheDocument() {
    WorkerConfig config = WorkerConfig.defaults();

    assertThat(config.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.heartbeatInterval()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.pollInterval()).isEqualTo(Duration.ofMillis(1_250));
    assertThat(config.prefetch()).isEqualTo(500);
    assertThat(config.flushInterval()).isEqualTo(Duration.ofMillis(3));
    assertThat(config.rescueInterval()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.drainTimeout()).isEqualTo(Duration.ofSeconds(25));
    assertThat(config.retention())
        .isEqualTo(new Retention(Duration.ofDays(7), Duration.ofDays(30)));
  }

  @Test
  void aLeaseOfLessThanThreeHeartbeatsIsRefused() {
    WorkerConfig.Builder config =
        WorkerConfig.builder()
            .lease(Duration.ofSeconds(2))
            .heartbeatInterval(Duration.ofSeconds(1));

    assertThatIllegalArgumentException()
        .isThrownBy(config::build)
        .withMessage(
            "Lease PT2S is shorter than 3 heartbeat intervals of PT1S. Lengthen the lease or shorten the interval.");
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.builder().lease(Duration.ofMillis(1)).build())
        .withMessageContaining("Lease PT0.001S is not in");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.builder().prefetch(-1).build())
        .withMessageContaining("Prefetch -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerConfig.builder().drainTimeout(Duration.ofSeconds(-1)).build())
        .withMessageContaining("Drain timeout");
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
  void whatIsNamedTwiceIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().handle(TYPE, (payload, context) -> Outcome.completed()))
        .withMessageContaining("Kind 'k' has a handler already");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handled().queue("q", 1).queue("q", 2))
        .withMessageContaining("Queue 'q' is served already");
  }

  @Test
  void anOrderThatCannotBeKeptIsRefused() {
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
  void queuesThatCannotExistAreRefused() {
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
}
