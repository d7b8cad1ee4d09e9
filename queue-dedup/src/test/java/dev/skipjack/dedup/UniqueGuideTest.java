package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/guides/unique-jobs.md. */
@QueueTest
class UniqueGuideTest {

  // snippet: ways
  record Refresh(long accountId, String view) {}

  static final JobType<Refresh> REFRESH = JobType.of("refresh", Refresh.class);

  /** At most one job per account waits or runs. */
  static final Unique<Refresh> ONE_PER_ACCOUNT = Unique.by(job -> "account-" + job.accountId());

  /** The key consists of typed fields: {@code ["overview", 42]}. */
  static final Unique<Refresh> ONE_PER_VIEW = Unique.byFields(Refresh::view, Refresh::accountId);

  /** At most one that has not started; an enqueue while one runs creates the next. */
  static final Unique<Refresh> NEXT = ONE_PER_VIEW.untilStarted();

  /** At most one per hour, even if it ends earlier. */
  static final Unique<Refresh> HOURLY = ONE_PER_VIEW.perPeriod(Duration.ofHours(1));

  /** Due ten seconds after the last event, but at most a minute after the first. */
  static final Unique<Refresh> SETTLED =
      NEXT.debounce(Duration.ofSeconds(10), Duration.ofMinutes(1));

  /** The latest payload replaces the earlier one, and the job keeps its position in the queue. */
  static final Unique<Refresh> LATEST = ONE_PER_ACCOUNT.replace(JobPart.PAYLOAD);

  // end of snippet

  private UniqueJobs unique(QueueDatabase database) {
    return new Fixture(database).unique;
  }

  @Test
  void resultsReportNewExistingAndChangedJobs(QueueDatabase database) throws Exception {
    UniqueJobs unique = unique(database);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      assertThat(describe(unique, connection, new Refresh(42, "overview"))).startsWith("new job ");
      assertThat(describe(unique, connection, new Refresh(42, "detail"))).startsWith("changed ");
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  // snippet: results
  String describe(UniqueJobs unique, Connection transaction, Refresh refresh) {
    EnqueueResult result = unique.in(transaction).enqueue(REFRESH, refresh, LATEST);
    return result.fold(
        enqueued -> "new job " + enqueued.jobId(),
        existing -> "job %s is %s".formatted(existing.jobId(), existing.status()),
        replaced -> "changed job " + replaced.jobId());
  }

  // end of snippet

  @Test
  void holdersAreFoundAndCancelled(QueueDatabase database) {
    UniqueJobs unique = unique(database);
    unique.enqueueAll(
        REFRESH, List.of(new Refresh(42, "overview"), new Refresh(43, "overview")), NEXT);
    assertThat(cancel(unique, new Refresh(42, "overview"))).isEqualTo(CancelResult.CANCELLED);
    assertThat(cancel(unique, new Refresh(44, "overview"))).isEqualTo(CancelResult.GONE);
  }

  // snippet: look-up
  CancelResult cancel(UniqueJobs unique, Refresh refresh) {
    Optional<KeyHolder> holder = unique.find(REFRESH, refresh, NEXT);
    return holder.isEmpty() ? CancelResult.GONE : unique.cancel(REFRESH, refresh, NEXT);
  }

  // end of snippet

  @Test
  void everyWayOfTheGuideWorks(QueueDatabase database) {
    UniqueJobs unique = unique(database);
    Refresh refresh = new Refresh(42, "overview");
    for (Unique<Refresh> way :
        List.of(ONE_PER_ACCOUNT, ONE_PER_VIEW, NEXT, HOURLY, SETTLED, LATEST)) {
      assertThat(unique.enqueue(REFRESH, refresh, way).jobId())
          .isEqualTo(unique.enqueue(REFRESH, refresh, way).jobId());
    }
  }
}
