package dev.skipjack.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LocalWorker.TakenSlot;
import dev.skipjack.api.spi.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how many slots are kept for transactions of callers, and for how long. */
class DirectStartsTest {

  private final List<Attempt> accepted = new ArrayList<>();
  private final List<ExecutionId> lost = new ArrayList<>();
  private final ServedQueue other = queue(2);

  private static ServedQueue queue(int slots) {
    ServedQueue queue =
        new ServedQueue(
            "q",
            slots,
            0,
            new Wakeup(),
            LaneOrder.Reserve.A_TENTH,
            new PayloadBudget(Long.MAX_VALUE));
    queue.jobsAhead(false);
    return queue;
  }

  private DirectStarts starts(ServedQueue queue, Duration lease) {
    return new DirectStarts(
        WorkerId.boot("test"),
        lease,
        Map.of("q", queue, "other", other),
        Set.of("k"),
        accepted::addAll,
        () -> new ExecutionId(3),
        lost::add,
        new HeardLanes(new Wakeup()),
        new Reporter(List.of()));
  }

  private static NewJob job() {
    return job("q");
  }

  private static NewJob job(String queue) {
    return NewJob.of(JobType.of("k", Object.class), "{}", EnqueueOptions.none().onQueue(queue));
  }

  private static ClaimedJob running() {
    return new ClaimedJob(
        new Execution(new JobId(1), new ExecutionId(4), Instant.EPOCH),
        "q",
        "k",
        "{}",
        1,
        0,
        1,
        0,
        3,
        Instant.EPOCH,
        Map.of());
  }

  private static @Nullable TakenSlot inTransaction(DirectStarts starts) {
    return starts.takeInTransaction(job());
  }

  @Test
  void transactionsGetAtMostHalfOfTheFreeSlots() {
    ServedQueue queue = queue(5);
    DirectStarts starts = starts(queue, Duration.ofMinutes(1));
    TakenSlot first = requireNonNull(inTransaction(starts));
    assertThat(first.spare()).isEqualTo(4);
    assertThat(inTransaction(starts)).isNotNull();
    assertThat(inTransaction(starts)).isNull();
    assertThat(first.spareNow()).isEqualTo(3);
    assertThat(queue.ask()).isEqualTo(3);

    first.free(false);

    assertThat(inTransaction(starts)).isNotNull();
    assertThat(starts.take(job())).as("an enqueue that commits itself").isNotNull();
    assertThat(inTransaction(starts)).isNull();
  }

  @Test
  void theOnlySlotIsNotKeptForATransaction() {
    DirectStarts starts = starts(queue(1), Duration.ofMinutes(1));

    assertThat(inTransaction(starts)).isNull();
    assertThat(starts.take(job())).isNotNull();
  }

  @Test
  void aSlotIsKeptForAPartOfTheLeaseOnly() {
    DirectStarts starts = starts(queue(2), Duration.ofMinutes(1));
    assertThat(requireNonNull(inTransaction(starts)).isKept()).isTrue();

    DirectStarts brief = starts(queue(2), Duration.ofNanos(40_000));
    TakenSlot slot = requireNonNull(inTransaction(brief));
    await().until(() -> !slot.isKept());

    slot.free(false);

    assertThat(inTransaction(brief)).as("soon after a long transaction").isNull();
    assertThat(brief.take(job())).isNotNull();
    assertThat(brief.takeInTransaction(job("other"))).as("of another queue").isNotNull();
  }

  @Test
  void aSlotThatIsNoLongerKeptIsUsedForOtherJobs() {
    ServedQueue queue = queue(3);
    DirectStarts starts = starts(queue, Duration.ofNanos(40_000));
    TakenSlot own = requireNonNull(starts.take(job()));
    TakenSlot slot = requireNonNull(inTransaction(starts));
    await().until(() -> !slot.isKept());

    starts.takeBack(Duration.ofMinutes(1).toNanos());

    assertThat(queue.ask()).isEqualTo(2);
    own.free(false);
    assertThat(queue.ask()).isEqualTo(3);
  }

  @Test
  void noSlotIsSpareWhileAClaimIsUnderWay() {
    ServedQueue queue = queue(3);
    TakenSlot slot = requireNonNull(inTransaction(starts(queue, Duration.ofMinutes(1))));
    assertThat(slot.spareNow()).isEqualTo(2);

    queue.claiming(true);

    assertThat(slot.spareNow()).isZero();
  }

  @Test
  void aSlotOfATransactionThatHangsIsUsedForOtherJobs() {
    ServedQueue queue = queue(2);
    DirectStarts starts = starts(queue, Duration.ofMinutes(1));
    TakenSlot slot = requireNonNull(inTransaction(starts));
    assertThat(queue.ask()).isEqualTo(1);

    starts.takeBack(0);

    assertThat(slot.isKept()).isFalse();
    assertThat(queue.ask()).isEqualTo(2);
    slot.free(false);
    assertThat(queue.ask()).isEqualTo(2);
    assertThat(inTransaction(starts)).isNotNull();
  }

  @Test
  void aStopKeepsNoSlotAndWaitsForThoseThatWereTaken() throws InterruptedException {
    DirectStarts starts = starts(queue(2), Duration.ofMinutes(1));
    TakenSlot slot = requireNonNull(inTransaction(starts));

    starts.close();

    assertThat(slot.isKept()).isFalse();
    assertThat(inTransaction(starts)).isNull();
    assertThat(starts.awaitNone(System.nanoTime())).isFalse();
    slot.lost();
    assertThat(lost).containsExactly(new ExecutionId(3));
    assertThat(starts.awaitNone(System.nanoTime())).isTrue();
  }

  @Test
  void aSlotStartsOneJob() {
    TakenSlot slot = requireNonNull(inTransaction(starts(queue(2), Duration.ofMinutes(1))));

    slot.start(running());
    slot.start(running());
    slot.lost();

    assertThat(accepted).hasSize(1);
    assertThat(lost).isEmpty();
  }
}
