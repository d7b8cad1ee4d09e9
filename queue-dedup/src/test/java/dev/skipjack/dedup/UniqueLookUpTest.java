package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests finding and cancelling the job that holds a key. */
@QueueTest
class UniqueLookUpTest {

  private static final Unique<Sync> PER_HOUR = BY_ACCOUNT.perPeriod(Duration.ofHours(1));

  private Fixture fixture;
  private UniqueJobs unique;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    unique = fixture.unique;
  }

  @Test
  void holderIsFoundOnlyWhileItHoldsTheKey() {
    assertThat(unique.find(SYNC, sync("a"), BY_ACCOUNT)).isEmpty();
    JobId first = unique.enqueue(SYNC, sync("a"), BY_ACCOUNT).jobId();
    unique.enqueue(SYNC, sync("b"), BY_ACCOUNT);
    assertThat(unique.find(SYNC, sync("a"), BY_ACCOUNT))
        .contains(new KeyHolder(first, HolderStatus.PENDING));
    fixture.fail(fixture.claim(), true);

    assertThat(unique.find(SYNC, sync("a"), BY_ACCOUNT)).isEmpty();
  }

  @Test
  void jobThatTookAKeyForAPeriodIsFoundEvenAfterItEnded() {
    JobId first = unique.enqueue(SYNC, sync("a"), PER_HOUR).jobId();
    assertThat(unique.find(SYNC, sync("a"), PER_HOUR))
        .contains(new KeyHolder(first, HolderStatus.PENDING));
    fixture.store.complete(List.of(fixture.claim()));
    assertThat(unique.find(SYNC, sync("a"), PER_HOUR))
        .contains(new KeyHolder(first, HolderStatus.ENDED));
    fixture.execute("UPDATE @job_keys SET expires_at = clock_timestamp()");

    assertThat(unique.find(SYNC, sync("a"), PER_HOUR)).isEmpty();
  }

  @Test
  void aKeyWithinAQueueIsLookedUpInTheQueueOfTheOptions() {
    Unique<Sync> withinQueue = BY_ACCOUNT.withinQueue();
    JobId first = unique.enqueue(SYNC, sync("a"), withinQueue, job -> job.onQueue("slow")).jobId();

    assertThat(unique.find(SYNC, sync("a"), withinQueue)).isEmpty();
    assertThat(unique.find(SYNC, sync("a"), withinQueue, job -> job.onQueue("slow")))
        .contains(new KeyHolder(first, HolderStatus.PENDING));
    assertThat(unique.cancel(SYNC, sync("a"), withinQueue, job -> job.onQueue("slow")))
        .isEqualTo(CancelResult.CANCELLED);
  }

  @Test
  void cancelsTheHolderAndFreesTheKey() {
    assertThat(unique.cancel(SYNC, sync("a"), BY_ACCOUNT)).isEqualTo(CancelResult.GONE);
    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);
    unique.enqueue(SYNC, sync("b"), BY_ACCOUNT);

    assertThat(unique.cancel(SYNC, sync("a"), BY_ACCOUNT)).isEqualTo(CancelResult.CANCELLED);

    assertThat(fixture.value("SELECT string_agg(unique_label, '') FROM @jobs")).isEqualTo("b");
    assertThat(unique.enqueue(SYNC, sync("a"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void asksARunningHolderToStopAndReportsADeadOne() {
    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT.whileLiveOrDead());
    var attempt = fixture.claim();
    assertThat(unique.cancel(SYNC, sync("a"), BY_ACCOUNT)).isEqualTo(CancelResult.REQUESTED);
    fixture.store.complete(List.of(attempt));

    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT.whileLiveOrDead());
    fixture.fail(fixture.claim(), true);
    assertThat(unique.cancel(SYNC, sync("a"), BY_ACCOUNT)).isEqualTo(CancelResult.DEAD);
  }

  @Test
  void cancellingDoesNotEndAPeriod() {
    JobId first = unique.enqueue(SYNC, sync("a"), PER_HOUR).jobId();

    assertThat(unique.cancel(SYNC, sync("a"), PER_HOUR)).isEqualTo(CancelResult.CANCELLED);
    assertThat(unique.cancel(SYNC, sync("a"), PER_HOUR)).isEqualTo(CancelResult.GONE);

    assertThat(unique.enqueue(SYNC, sync("a"), PER_HOUR).jobId()).isEqualTo(first);
  }
}
