package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.ERROR;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.spi.Execution;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Queries return jobs, counts and workers as documented. */
abstract class ReaderPromises extends Promises {

  @Nested
  class Find {

    @Test
    void liveJobIsFoundWithItsAttemptsInTheirOrder() {
      fixture.enqueue(7);
      Execution first = fixture.claimOne(LEASE);
      fixture.fail(List.of(first), false);
      Execution second = fixture.claimOne(LEASE);

      JobDetails job = fixture.find(first.jobId());

      assertThat(job.payload()).isEqualTo("7");
      assertThat(job.summary().status()).isEqualTo(JobStatus.RUNNING);
      assertThat(job.summary().lastError()).isEqualTo("no luck");
      assertThat(job.currentExecution()).isEqualTo(second.id());
      assertThat(job.leaseExpiresAt()).isAfter(job.summary().startedAt());
      assertThat(job.executions())
          .extracting(JobExecution::id, JobExecution::attempt, JobExecution::status)
          .containsExactly(
              tuple(first.id(), 1, ExecutionStatus.FAILED),
              tuple(second.id(), 2, ExecutionStatus.RUNNING));
      assertThat(job.executions().get(0).error()).isEqualTo(ERROR);
      assertThat(job.executions().get(1).error()).isNull();
    }

    @Test
    void archivedJobIsFoundWithItsAttempts() {
      fixture.enqueue(7);
      fixture.fail(List.of(fixture.claimOne(LEASE)), false);
      Execution last = fixture.claimOne(LEASE);
      store.complete(List.of(last));

      JobDetails job = fixture.find(last.jobId());

      assertThat(job.payload()).isEqualTo("7");
      assertThat(job.summary().status()).isEqualTo(JobStatus.COMPLETED);
      assertThat(job.summary().finishedAt()).isNotNull();
      assertThat(job.currentExecution()).isEqualTo(last.id());
      assertThat(job.leaseExpiresAt()).isNull();
      assertThat(fixture.audit(last.jobId()))
          .containsExactly(ExecutionStatus.FAILED, ExecutionStatus.SUCCEEDED);
    }

    @Test
    void findReturnsNothingForAJobThatNeverExisted() {
      assertThat(reader.find(UNKNOWN)).isEmpty();
    }
  }

  @Nested
  class Lists {

    @Test
    void liveJobsAreListedByIdAndPage() {
      List<JobId> ids = fixture.enqueueMany(5);

      assertThat(idsOf(JobQuery.live().limit(2))).isEqualTo(ids);
      assertThat(reader.list(JobQuery.live().limit(2)).jobs()).hasSize(2);
    }

    @Test
    void liveJobsAreListedByQueueKindStatusAndTag() {
      JobId tagged = fixture.enqueue(1, job -> job.onQueue("a").tags("vip", "eu"));
      JobId plain = fixture.enqueue(2, job -> job.onQueue("b"));
      JobId dead = fixture.dead(1).get(0);

      assertThat(idsOf(JobQuery.live())).containsExactly(tagged, plain, dead);
      assertThat(idsOf(JobQuery.live().queue("a"))).containsExactly(tagged);
      assertThat(idsOf(JobQuery.live().tag("eu"))).containsExactly(tagged);
      assertThat(idsOf(JobQuery.live().kind("foreign"))).isEmpty();
      assertThat(idsOf(JobQuery.live().status(JobStatus.DEAD))).containsExactly(dead);
      assertThat(idsOf(JobQuery.live().status(JobStatus.PENDING))).containsExactly(tagged, plain);
      assertThat(idsOf(JobQuery.live().status(JobStatus.RUNNING))).isEmpty();
    }

    @Test
    void listsAreRestrictedToTheQueuesOfTheCaller() {
      JobId first = fixture.enqueue(1, job -> job.onQueue("a"));
      fixture.enqueue(2, job -> job.onQueue("hidden"));
      JobId last = fixture.enqueue(3, job -> job.onQueue("b"));
      Set<String> visible = Set.of("a", "b", "empty");

      assertThat(reader.list(JobQuery.live(), visible).jobs())
          .extracting(JobSummary::id)
          .containsExactly(first, last);
      assertThat(reader.list(JobQuery.live().queue("b"), visible).jobs())
          .extracting(JobSummary::id)
          .containsExactly(last);
      assertThat(reader.list(JobQuery.pending("a"), visible).jobs()).hasSize(1);
      assertThat(reader.list(JobQuery.live().limit(1), Set.of("hidden")).jobs()).hasSize(1);
      for (JobPage page :
          List.of(
              reader.list(JobQuery.live(), Set.of()),
              reader.list(JobQuery.live().queue("hidden"), visible),
              reader.list(JobQuery.pending("hidden"), visible),
              reader.list(JobQuery.live().limit(1), Set.of("empty")),
              reader.list(JobQuery.live().status(JobStatus.DEAD).limit(1), Set.of("empty")),
              reader.list(JobQuery.archived().limit(1), Set.of("empty")))) {
        assertThat(page).isEqualTo(new JobPage(List.of(), null));
      }
    }

    @Test
    void pendingJobsAreListedByDueTimeWhateverTheirPriority() {
      JobId last = fixture.enqueue(1, job -> job.delay(Duration.ofHours(3)).priority(9));
      JobId first = fixture.enqueue(2, job -> job.priority(-9));
      JobId middle = fixture.enqueue(3, job -> job.delay(Duration.ofHours(2)));

      assertThat(idsOf(JobQuery.pending("default").limit(1))).containsExactly(first, middle, last);
    }

    @Test
    void archivedJobsAreListedFromTheLatest() {
      fixture.enqueueMany(3);
      List<JobId> ended = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Execution execution = fixture.claimOne(LEASE);
        store.complete(List.of(execution));
        ended.add(0, execution.jobId());
      }
      JobId cancelled = idsOf(JobQuery.live()).get(0);
      admin.cancel(List.of(cancelled));

      assertThat(idsOf(JobQuery.archived().limit(1)))
          .containsExactly(cancelled, ended.get(0), ended.get(1));
      assertThat(idsOf(JobQuery.archived().status(JobStatus.COMPLETED))).isEqualTo(ended);
    }

    @Test
    void listsRefuseATokenOfAnotherOrder() {
      fixture.enqueueMany(2);
      PageToken token = reader.list(JobQuery.live().limit(1)).next().orElseThrow();

      assertThatThrownBy(() -> reader.list(JobQuery.archived().after(token)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> reader.list(JobQuery.live().after(new PageToken("made-up"))))
          .isInstanceOf(IllegalArgumentException.class);
    }

    private List<JobId> idsOf(JobQuery query) {
      List<JobId> ids = new ArrayList<>();
      JobPage page = reader.list(query);
      page.jobs().stream().map(JobSummary::id).forEach(ids::add);
      while (page.next().isPresent()) {
        page = reader.list(query.after(page.next().orElseThrow()));
        page.jobs().stream().map(JobSummary::id).forEach(ids::add);
      }
      return ids;
    }
  }

  @Nested
  class Overviews {

    @Test
    void overviewsCountLiveJobsByQueueKindAndStatus() {
      fixture.dead(2);
      fixture.enqueueMany(3);
      fixture.claimOne(LEASE);
      fixture.enqueue(1, job -> job.onQueue("a"));
      store.complete(List.of(fixture.claimOne(LEASE)));

      assertThat(reader.counts())
          .containsExactlyInAnyOrder(
              new JobCount("a", "work", JobStatus.PENDING, 1, false),
              new JobCount("default", "work", JobStatus.PENDING, 1, false),
              new JobCount("default", "work", JobStatus.RUNNING, 1, false),
              new JobCount("default", "work", JobStatus.DEAD, 2, false));
    }

    @Test
    void overviewsNameTheOldestPendingJobOfEachQueue() {
      fixture.enqueue(1, job -> job.delay(Duration.ofHours(1)));
      JobId oldest = fixture.enqueue(2, job -> job.priority(-5));
      JobId future = fixture.enqueue(3, job -> job.onQueue("later").delay(Duration.ofHours(1)));

      List<PendingAge> ages = reader.oldestPending();

      assertThat(ages)
          .extracting(PendingAge::queue, PendingAge::scheduledAt)
          .containsExactly(
              tuple("default", fixture.summary(oldest).scheduledAt()),
              tuple("later", fixture.summary(future).scheduledAt()));
      assertThat(ages.get(0).age()).isPositive();
      assertThat(ages.get(1).age()).isZero();
    }

    @Test
    void overviewsGroupDeadJobsByTheirErrors() {
      List<JobId> dead = fixture.dead(2);

      List<DeadLetterGroup> letters = reader.deadLetters();

      assertThat(letters).hasSize(1);
      assertThat(letters.get(0).queue()).isEqualTo("default");
      assertThat(letters.get(0).error()).isEqualTo("no luck");
      assertThat(letters.get(0).errorClass()).isEqualTo("java.lang.IllegalStateException");
      assertThat(letters.get(0).jobs()).isEqualTo(2);
      assertThat(letters.get(0).example()).isEqualTo(dead.get(1));
    }

    @Test
    void overviewsAreEmptyWithoutJobs() {
      assertThat(reader.counts()).isEmpty();
      assertThat(reader.oldestPending()).isEmpty();
      assertThat(reader.deadLetters()).isEmpty();
      assertThat(reader.queues()).isEmpty();
    }
  }

  @Test
  void doesNotWaitForLocks() throws Exception {
    JobId held = fixture.enqueue(1);
    try (Connection rival = fixture.hold(held)) {
      assertThat(rival).isNotNull();
      fixture.withoutWaiting(
          () -> {
            assertThat(reader.find(held)).isPresent();
            assertThat(reader.list(JobQuery.live()).jobs()).hasSize(1);
            assertThat(reader.counts()).hasSize(1);
            assertThat(reader.oldestPending()).hasSize(1);
            return true;
          });
    }
  }
}
