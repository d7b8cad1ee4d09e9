package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.HeldLane.Cause;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobExplanation.Reason;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the reader reports exactly those rates that hold the claims of a worker. */
@QueueTest
@Timeout(60)
class HeldRatesIT {

  private static final Duration DAYS = Duration.ofDays(30);

  private static final JobType<String> CALL =
      JobType.of("call", String.class).groupedBy(payload -> payload.isEmpty() ? null : payload);

  private final JobQueue queue;
  private @Nullable Duration retryAfter;

  HeldRatesIT(QueueDatabase database) {
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @BeforeEach
  void limit() {
    queue.admin().limit("api", Limit.none());
    queue.admin().configure("default", QueueSettings.defaults().limitedBy("api"));
    // A worker that runs in the calling thread does not announce itself.
    queue
        .workers()
        .announce(
            new WorkerRow(WorkerId.boot("w"), null, 1, List.of("default"), List.of("call"), "{}"));
  }

  private int run() {
    try (Worker worker =
        Worker.on(queue)
            .handle(
                CALL,
                (payload, context) ->
                    retryAfter == null ? Outcome.completed() : Outcome.throttled(retryAfter))
            .queue("default", 10)
            .build()) {
      return worker.runUntilIdle();
    }
  }

  private void enqueue(String group, int count) {
    queue.enqueueAll(CALL, Collections.nCopies(count, group));
  }

  private HeldLane held() {
    List<HeldLane> held = queue.reader().held();
    assertThat(held).hasSize(1);
    return held.get(0);
  }

  private JobExplanation whyFirst() {
    JobId first = queue.reader().list(JobQuery.live()).jobs().get(0).id();
    return queue.reader().why(first).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Rate.Kind.class)
  void aRateOfTheWholeLimitIsReportedUntilItIsReset(Rate.Kind kind) {
    queue.admin().limit("api", Limit.none().rate(new Rate(kind, 3, DAYS, 3, false)));
    enqueue("a", 4);
    enqueue("", 1);
    assertThat(queue.reader().held()).isEmpty();

    assertThat(run()).isEqualTo(3);

    HeldLane held = held();
    assertThat(held.cause()).isEqualTo(Cause.RATE);
    assertThat(held.group()).isNull();
    assertThat(held.due()).isEqualTo(2);
    assertThat(held.opensAt()).isBetween(Instant.now(), Instant.now().plus(DAYS).plusSeconds(60));

    assertThat(queue.admin().resetLimit("api")).isTrue();

    assertThat(queue.reader().held()).isEmpty();
    assertThat(run()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(Rate.Kind.class)
  void aRateOfEachGroupIsReportedForThoseThatAreHeld(Rate.Kind kind) {
    queue.admin().limit("api", Limit.none().rate(new Rate(kind, 3, DAYS, 3, true)));
    enqueue("it's", 5);
    enqueue("b", 3);
    enqueue("", 4);

    assertThat(run()).isEqualTo(9);

    List<HeldLane> held = queue.reader().held();
    assertThat(held).extracting(HeldLane::cause).containsOnly(Cause.RATE_OF_GROUP);
    assertThat(held).extracting(HeldLane::group).containsExactly(null, "it's");
    assertThat(held).extracting(HeldLane::due).containsExactly(1, 2);
    assertThat(whyFirst().reason()).isEqualTo(Reason.RATE_REACHED);
  }

  @Test
  void aBucketThatHoldsReportsTheNextToken() {
    queue.admin().limit("api", Limit.none().rate(Rate.bucket(10, Duration.ofDays(10)).burst(2)));
    enqueue("a", 3);

    assertThat(run()).isEqualTo(2);

    assertThat(Duration.between(Instant.now(), held().opensAt()))
        .isBetween(Duration.ofHours(23), Duration.ofHours(25));
  }

  @Test
  void aThrottleHoldsALimitWithoutARate() {
    QueueAdmin admin = queue.admin();
    enqueue("a", 1);
    retryAfter = Duration.ofHours(5);
    assertThat(run()).isEqualTo(1);
    retryAfter = null;
    enqueue("b", 2);

    assertThat(run()).isZero();

    HeldLane held = held();
    assertThat(held.cause()).isEqualTo(Cause.RATE);
    assertThat(held.most()).isNull();
    assertThat(Duration.between(Instant.now(), held.opensAt()))
        .isBetween(Duration.ofHours(4), Duration.ofHours(5).plusMinutes(1));
    JobId last = queue.reader().list(JobQuery.live().group("b")).jobs().get(1).id();
    assertThat(queue.reader().why(last).orElseThrow().reason()).isEqualTo(Reason.RATE_REACHED);

    admin.resetLimit("api");

    assertThat(run()).isEqualTo(2);
  }

  @Test
  void aThrottleOfABucketHoldsForItsWholeTime() {
    queue.admin().limit("api", Limit.none().rate(Rate.bucket(10, Duration.ofHours(1)).burst(5)));
    enqueue("a", 1);
    retryAfter = Duration.ofHours(5);
    assertThat(run()).isEqualTo(1);
    enqueue("b", 1);

    assertThat(run()).isZero();

    assertThat(Duration.between(Instant.now(), held().opensAt()))
        .isBetween(Duration.ofHours(5).minusMinutes(1), Duration.ofHours(5).plusMinutes(7));
  }
}
