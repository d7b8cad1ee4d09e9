package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class ClaimSizeTest {

  private static final int MEGABYTE = 1 << 20;

  private final OutOfMemoryError tooLarge = new OutOfMemoryError("Java heap space");

  private final MemoryStore store = new MemoryStore();
  private final EventLog events = new EventLog();

  @ParameterizedTest
  @CsvSource({"54000, false", "53200, false", "54000, true", "53200, true"})
  void payloadThatCannotBeFetchedFailsItsJobAndDelaysNoOther(String state, boolean fair) {
    MemoryStore store = fair ? new FairStore() : this.store;
    store.bombState = state;
    JobId bomb = store.add(job().payload("bomb").maxAttempts(2));
    store.addAll(20, job());

    try (Worker worker = start(store)) {
      await().until(() -> store.count(JobStatus.COMPLETED) == 20);
      await().until(() -> store.status(bomb) == JobStatus.DEAD);
      assertThat(worker.health().databaseReachable()).isTrue();
    }

    assertThat(store.error(bomb)).contains("The payload could not be fetched", "Too long");
    assertThat(store.attempts(bomb)).isEqualTo(2);
    assertThat(events.all(WorkerEvent.DatabaseLost.class)).isEmpty();
    assertThat(store.claims.stream().map(ClaimRequest::limit)).contains(8, 4, 2, 1);
  }

  /** A store whose queue is fair and has one group. */
  private static final class FairStore extends MemoryStore {

    @Override
    public DueLanes dueLanes(List<String> queues) {
      DueLanes due = super.dueLanes(queues);
      return new DueLanes(due.lanes(), due.paused(), Set.copyOf(queues), Set.of());
    }

    @Override
    public DueGroups dueGroups(GroupSearch search) {
      int any = Integer.MAX_VALUE;
      DueGroups.DueGroup group = new DueGroups.DueGroup("g", search.depth(), 1, any, null, null);
      return new DueGroups(List.of(group), null, any, false, false, null, null, null, null);
    }

    @Override
    public ClaimedGroups claimGroups(GroupClaim request) {
      return new ClaimedGroups(claim(plain(request)), false, null);
    }

    @Override
    public ClaimedGroups claimGroupsWithoutPayload(GroupClaim request) {
      return new ClaimedGroups(claimWithoutPayload(plain(request)), false, null);
    }

    private static ClaimRequest plain(GroupClaim request) {
      return new ClaimRequest(
          request.worker(),
          List.of(new LaneShare(request.lane(), request.most(), null)),
          request.kinds(),
          request.most(),
          request.lease());
    }
  }

  /** Memory may be short for another reason, which may pass. */
  @Test
  void aSingleJobIsRequestedThreeTimesWhenMemoryIsShort() {
    ClaimSize size = new ClaimSize(new PayloadBudget(Long.MAX_VALUE));
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    assertThat(ClaimSize.isTooLarge(error)).isTrue();

    size.failed(1, error);
    size.failed(1, error);
    assertThat(size.isHopeless(error)).isFalse();
    size.failed(1, error);
    assertThat(size.isHopeless(error)).isTrue();
    size.worked();
    size.failed(1, error);
    assertThat(size.isHopeless(error)).isFalse();
  }

  /** A full lock table is reported with the same SQLSTATE ({@code out of shared memory}). */
  @Test
  void aJobIsNotGivenUpBecauseTheServerIsShortOfMemory() {
    ClaimSize size = new ClaimSize(new PayloadBudget(Long.MAX_VALUE));
    StoreException error =
        new StoreException("refused", new SQLException("out of shared memory", "53200"));
    assertThat(ClaimSize.isTooLarge(error)).isTrue();
    for (int i = 0; i < 10; i++) {
      size.failed(1, error);
    }
    assertThat(size.isHopeless(error)).isFalse();
  }

  @Test
  void failuresHalveTheClaimAndSuccessesDoubleIt() {
    ClaimSize size = new ClaimSize(new PayloadBudget(Long.MAX_VALUE));
    assertThat(size.most(5_000)).isEqualTo(1_000);
    size.failed(1_000, tooLarge);
    assertThat(size.most(5_000)).isEqualTo(500);
    size.failed(3, tooLarge);
    assertThat(size.most(5_000)).isEqualTo(1);
    size.worked();
    assertThat(size.most(5_000)).isEqualTo(2);
  }

  @Test
  void largePayloadsMakeClaimsSmallAtOnceAndSmallOnesLargeAgain() {
    PayloadBudget payloads = new PayloadBudget(100L * MEGABYTE);
    ClaimSize size = new ClaimSize(payloads);
    assertThat(size.most(1_000)).isLessThan(100); // nothing is known, so payloads may be large

    size.brought(Collections.nCopies(10, claimed("x")));
    assertThat(size.most(1_000)).isEqualTo(1_000);
    size.brought(List.of(claimed("x".repeat(MEGABYTE))));
    assertThat(size.most(1_000)).isEqualTo(24); // half of the budget, at twice the characters
    for (int i = 0; i < 10; i++) {
      size.brought(Collections.nCopies(100, claimed("x")));
    }
    assertThat(size.most(1_000)).isEqualTo(1_000);
  }

  @Test
  void heldPayloadsLimitThePrefetchButFreeSlotsAreFilled() {
    PayloadBudget payloads = new PayloadBudget(100L * MEGABYTE);
    payloads.learn(List.of(claimed("x".repeat(MEGABYTE))));
    ServedQueue queue =
        new ServedQueue("q", 4, 1_000, new Wakeup(), LaneOrder.Reserve.A_TENTH, payloads);
    queue.ran(Attempts.claimed(Duration.ofMinutes(1)), 1_000);
    assertThat(queue.ask()).isEqualTo(49);

    queue.claimed(100L * MEGABYTE);
    assertThat(queue.ask()).isEqualTo(3);
    queue.ended();
    queue.claimed(100L * MEGABYTE);
    assertThat(queue.ask()).isZero(); // an outcome must be written first
    queue.settled(100L * MEGABYTE, true);
    queue.settled(100L * MEGABYTE, false);
    assertThat(queue.ask()).isEqualTo(49);
  }

  /** An outcome may remain unwritten for a long time because another transaction locks the row. */
  @Test
  void oneJobAtATimeRunsWhileAnOutcomeCannotBeWrittenHoweverLargeItIs() {
    PayloadBudget payloads = new PayloadBudget(MEGABYTE);
    payloads.learn(List.of(claimed("x".repeat(2 * MEGABYTE))));
    ServedQueue queue =
        new ServedQueue("q", 2, 1_000, new Wakeup(), LaneOrder.Reserve.A_TENTH, payloads);
    queue.claimed(4L * MEGABYTE);
    queue.ended();
    assertThat(queue.ask()).isEqualTo(1);

    queue.claimed(4L * MEGABYTE);
    assertThat(queue.ask()).isZero();
    queue.ended();
    assertThat(queue.ask()).as("jobs requested while a large payload is held").isZero();
  }

  private static ClaimedJob claimed(String payload) {
    return ClaimAnswers.job(new Lane("q", 0), payload, Instant.EPOCH);
  }

  private Worker start(MemoryStore store) {
    JobType<String> type =
        JobType.of("k", String.class).retry(Backoff.fixed(Duration.ofMillis(10)));
    return Worker.on(store)
        .handle(type, (payload, context) -> Outcome.completed())
        .queue("q", 8)
        .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(20)).build())
        .listener(events)
        .start();
  }
}
