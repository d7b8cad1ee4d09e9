package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An in-memory model of the queue, which predicts the result of every call. */
final class JobModel {

  /** The name of a queue that archives nothing. */
  static final String UNKEPT = "unkept";

  static final String KEPT = "kept";

  private static final Ended LOST = new Ended(Verdict.LOST, null);
  private static final Ended BUSY = new Ended(Verdict.BUSY, null);

  final Map<JobId, ModelJob> jobs = new TreeMap<>(Comparator.comparingLong(JobId::value));

  /** Idempotency keys and the jobs that took them. */
  final Map<String, JobId> known = new HashMap<>();

  final Set<String> paused = new HashSet<>();

  /** The job whose row another session has locked. */
  @Nullable JobId held;

  private long clock;

  long tick() {
    return ++clock;
  }

  ModelJob job(JobId id) {
    return Objects.requireNonNull(jobs.get(id));
  }

  void add(ModelJob job, boolean isLater) {
    job.isLater = isLater;
    job.dueSince = clock;
    assertThat(jobs.put(job.id, job)).as("job id used twice").isNull();
  }

  Stream<ModelJob> live() {
    return jobs.values().stream().filter(ModelJob::isLive);
  }

  @Nullable ModelJob holderOf(String uniqueKey) {
    return live().filter(job -> uniqueKey.equals(job.uniqueKey)).findAny().orElse(null);
  }

  /**
   * Returns the due jobs of a lane, earliest first. Jobs that became due together may be served in
   * any order.
   */
  List<ModelJob> due(Lane lane) {
    return live()
        .filter(job -> job.is(JobStatus.PENDING) && !job.isLater)
        .filter(job -> new Lane(job.queue, job.priority).equals(lane))
        .sorted(Comparator.comparingLong(job -> job.dueSince))
        .toList();
  }

  Set<Lane> dueLanes() {
    Set<Lane> lanes = new HashSet<>();
    live()
        .filter(job -> job.is(JobStatus.PENDING) && !job.isLater && !paused.contains(job.queue))
        .forEach(job -> lanes.add(new Lane(job.queue, job.priority)));
    return lanes;
  }

  Renewal heartbeat(Execution execution, boolean expires) {
    ModelJob job = job(execution.jobId());
    Verdict verdict = verdict(execution);
    if (verdict == Verdict.DONE) {
      job.isExpired = expires;
    }
    return verdict == Verdict.LOST
        ? new Renewal(verdict, false, job.isLive(), job.holder())
        : new Renewal(verdict, verdict == Verdict.DONE && job.isCancelRequested);
  }

  Verdict complete(Execution execution) {
    Verdict verdict = verdict(execution);
    if (verdict == Verdict.DONE) {
      end(job(execution.jobId()), JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED);
    }
    return verdict;
  }

  Verdict endWithData(FinalOutcome outcome) {
    Verdict verdict = verdict(outcome.execution());
    if (verdict == Verdict.DONE) {
      boolean completes = outcome.as() == JobStatus.COMPLETED;
      end(
          job(outcome.execution().jobId()),
          outcome.as(),
          completes ? ExecutionStatus.SUCCEEDED : ExecutionStatus.CANCELLED);
    }
    return verdict;
  }

  Verdict progress(Execution execution, int percent) {
    Verdict verdict = verdict(execution);
    if (verdict == Verdict.DONE) {
      job(execution.jobId()).percent = percent;
    }
    return verdict;
  }

  Ended fail(Failure failure) {
    ModelJob job = job(failure.execution().jobId());
    boolean dies = failure.isFinal() || job.used() >= job.maxAttempts;
    return stop(
        failure.execution(),
        dies ? JobStatus.DEAD : JobStatus.PENDING,
        dies ? ExecutionStatus.DEAD : ExecutionStatus.FAILED,
        !failure.delay().isZero());
  }

  Ended requeue(Requeue attempt) {
    return stop(attempt.execution(), JobStatus.PENDING, attempt.as(), !attempt.delay().isZero());
  }

  private Ended stop(Execution execution, JobStatus to, ExecutionStatus as, boolean isLater) {
    Verdict verdict = verdict(execution);
    if (verdict != Verdict.DONE) {
      return verdict == Verdict.BUSY ? BUSY : LOST;
    }
    return new Ended(Verdict.DONE, stop(job(execution.jobId()), to, as, isLater));
  }

  private JobStatus stop(ModelJob job, JobStatus to, ExecutionStatus as, boolean isLater) {
    if (job.isCancelRequested) {
      end(job, JobStatus.CANCELLED, ExecutionStatus.CANCELLED);
      return JobStatus.CANCELLED;
    }
    job.stop(to, as);
    if (to == JobStatus.PENDING) {
      job.isLater = isLater;
      job.dueSince = clock;
    }
    return to;
  }

  private static void end(ModelJob job, JobStatus to, ExecutionStatus as) {
    job.stop(to, as);
    if (job.queue.equals(UNKEPT)) {
      job.vanish();
    }
  }

  private Verdict verdict(Execution execution) {
    if (!job(execution.jobId()).isOwnedBy(execution)) {
      return Verdict.LOST;
    }
    return execution.jobId().equals(held) ? Verdict.BUSY : Verdict.DONE;
  }

  /** Rescues expired jobs in the order of their executions. */
  List<Rescued> rescue(int limit) {
    List<Rescued> rescued = new ArrayList<>();
    live()
        .filter(job -> job.is(JobStatus.RUNNING) && job.isExpired && !job.id.equals(held))
        .sorted(Comparator.comparingLong(job -> executionOf(job).id().value()))
        .limit(limit)
        .forEach(
            job -> {
              Execution lost = executionOf(job);
              boolean dies = job.used() >= job.maxAttempts;
              JobStatus to =
                  stop(job, dies ? JobStatus.DEAD : JobStatus.PENDING, ExecutionStatus.LOST, false);
              rescued.add(new Rescued(lost, job.queue, Fixture.WORK.kind(), to));
            });
    return rescued;
  }

  private static Execution executionOf(ModelJob job) {
    return Objects.requireNonNull(job.current());
  }

  CancelResult cancel(JobId id) {
    ModelJob job = job(id);
    if (!job.isLive()) {
      return CancelResult.GONE;
    }
    if (job.is(JobStatus.PENDING)) {
      job.cancelWhileItWaits();
      if (job.queue.equals(UNKEPT)) {
        job.vanish();
      }
      return CancelResult.CANCELLED;
    }
    if (job.is(JobStatus.DEAD)) {
      return CancelResult.DEAD;
    }
    job.isCancelRequested = true;
    return CancelResult.REQUESTED;
  }

  /** If several jobs need the same key, the oldest gets it. */
  List<RedriveResult> redrive(List<JobId> ids) {
    Map<String, JobId> takers = new HashMap<>();
    for (JobId id : ids) {
      ModelJob job = job(id);
      if (job.is(JobStatus.DEAD) && job.freedKey != null) {
        ModelJob holder = holderOf(job.freedKey);
        takers.merge(
            job.freedKey,
            holder == null ? id : holder.id,
            (one, other) -> holder != null ? holder.id : one.value() < other.value() ? one : other);
      }
    }
    return ids.stream().map(id -> redrive(job(id), takers)).toList();
  }

  private RedriveResult redrive(ModelJob job, Map<String, JobId> takers) {
    if (!job.isLive()) {
      return new RedriveResult.Gone();
    }
    if (!job.is(JobStatus.DEAD)) {
      return new RedriveResult.NotDead();
    }
    JobId taker = job.freedKey == null ? job.id : takers.getOrDefault(job.freedKey, job.id);
    if (!taker.equals(job.id)) {
      return new RedriveResult.Conflict(taker);
    }
    job.redrive(clock);
    return new RedriveResult.Redriven();
  }

  EditResult edit(JobId id, int priority, @Nullable Boolean later) {
    ModelJob job = job(id);
    if (!job.isLive()) {
      return EditResult.GONE;
    }
    if (!job.is(JobStatus.PENDING) && !(job.is(JobStatus.DEAD) && later == null)) {
      return EditResult.NOT_PENDING;
    }
    job.priority = priority;
    if (later != null) {
      job.isLater = later;
      job.dueSince = clock;
    }
    return EditResult.EDITED;
  }

  PruneResult prune(JobId id) {
    ModelJob job = job(id);
    if (!job.isLive()) {
      return PruneResult.GONE;
    }
    if (!job.is(JobStatus.DEAD)) {
      return PruneResult.NOT_DEAD;
    }
    job.vanish();
    return PruneResult.PRUNED;
  }

  /** Checks the invariants of the model. */
  void checkInvariants() {
    for (ModelJob job : jobs.values()) {
      assertThat(job.used()).as("used attempts of %s", job.id).isBetween(0, job.maxAttempts);
      assertThat(job.completions())
          .as("completions of %s", job.id)
          .isEqualTo(job.status() == JobStatus.COMPLETED ? 1 : 0);
    }
    List<String> keys =
        live().map(job -> job.uniqueKey).filter(Objects::nonNull).map(String::valueOf).toList();
    assertThat(keys).as("unique keys that live jobs hold").doesNotHaveDuplicates();
  }

  List<String> lines() {
    return jobs.values().stream().flatMap(job -> job.lines().stream()).sorted().toList();
  }
}
