package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.api.spi.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes the same steps on the store and on the model, as two workers, a sweeper, an operator and a
 * session that locks rows. After every step, all results and rows of the store must match the
 * model.
 *
 * <p>No step has to wait: a job is due now or in an hour, and a lease expires immediately or in
 * half a minute.
 */
final class JobWalk implements AutoCloseable {

  /** Selects every row of the queue, one per line, in the format of {@link ModelJob#lines}. */
  static final String SNAPSHOT =
      """
      SELECT coalesce(string_agg(line, E'\\n'), '') FROM (
        SELECT concat_ws(' ', id, 'is', status, attempts, uncounted_attempts, max_attempts, priority, queue, payload->>'number',
                         coalesce(current_execution_id::text, '-'),
                         status = 'running' AND lease_expires_at < clock_timestamp(), cancel_requested_at IS NOT NULL,
                         status = 'pending' AND scheduled_at > clock_timestamp() + interval '30 minutes',
                         coalesce(unique_key, '-'), coalesce(freed_unique_key, '-'),
                         coalesce(progress->>'percent', '-')) AS line
          FROM @jobs
         UNION ALL
        SELECT concat_ws(' ', id, 'was', status, attempts, uncounted_attempts, max_attempts, priority, queue, payload->>'number',
                         coalesce(execution_id::text, '-'))
          FROM @jobs_archive
         UNION ALL
        SELECT job_id || ' ran ' || string_agg(attempt || ':' || status || ':' || id, ' ' ORDER BY attempt, id)
          FROM @job_executions GROUP BY job_id) AS rows
      """;

  private static final String CLEAR =
      "DELETE FROM @jobs; DELETE FROM @jobs_archive; DELETE FROM @job_executions; DELETE FROM"
          + " @job_keys; DELETE FROM @job_queues";

  private static final List<WorkerId> WORKERS =
      List.of(WorkerId.boot("first"), WorkerId.boot("second"));

  private final Fixture fixture;
  private final JobStore store;
  private final QueueAdmin admin;
  private final JobModel model = new JobModel();
  private final List<List<Execution>> claimed = List.of(new ArrayList<>(), new ArrayList<>());
  private @Nullable Connection rival;
  private final Set<String> seen;
  private int payloads;
  private int taken;
  private String place = "at the start";

  /**
   * Creates a walk on an empty queue.
   *
   * @param seen receives every kind of result that the store returned
   */
  JobWalk(Fixture fixture, Set<String> seen) {
    this.fixture = fixture;
    this.seen = seen;
    this.store = fixture.store;
    this.admin = fixture.queue.admin();
    fixture.execute(CLEAR);
    admin.configure(JobModel.UNKEPT, QueueSettings.defaults().noArchive());
  }

  void go(List<WalkStep> steps) throws SQLException {
    for (WalkStep step : steps) {
      place = "%s, step %d of %d".formatted(step, ++taken, steps.size());
      model.tick();
      take(step);
      assertThat(fixture.value(SNAPSHOT).lines().sorted()).as(place).isEqualTo(model.lines());
      model.checkInvariants();
    }
  }

  private void take(WalkStep step) throws SQLException {
    switch (step.move()) {
      case ENQUEUE -> enqueue(step);
      case ENQUEUE_IN_TRANSACTION -> enqueueInTransaction(step);
      case ENQUEUE_ONCE -> enqueueOnce(step);
      case ENQUEUE_UNIQUE -> enqueueUnique(step);
      case CLAIM -> claim(step);
      case HEARTBEAT -> heartbeat(step);
      case COMPLETE -> complete(step);
      case COMPLETE_IN -> completeIn(step);
      case END_WITH_DATA -> endWithData(step);
      case PROGRESS -> progress(step);
      case FAIL -> fail(step);
      case REQUEUE -> requeue(step);
      case RESCUE -> rescue(step);
      case CANCEL -> cancel(step);
      case REDRIVE -> redrive(step);
      case EDIT -> edit(step);
      case PRUNE -> prune(step);
      case PAUSE -> pause(step);
      case HOLD -> hold(step);
    }
  }

  // Producers

  private void enqueue(WalkStep step) {
    List<Integer> numbers =
        IntStream.range(0, 1 + step.a() % 4).map(i -> ++payloads).boxed().toList();
    List<JobId> ids =
        fixture.queue.enqueueAll(type(step), work(numbers), job -> options(step, job));
    record(step, ids, numbers);
  }

  private void enqueueInTransaction(WalkStep step) throws SQLException {
    boolean commits = step.a() % 3 > 0;
    int number = ++payloads;
    try (Connection transaction = fixture.database.connection()) {
      transaction.setAutoCommit(false);
      JobEnqueuer bound = fixture.queue.in(transaction);
      JobId id = bound.enqueue(type(step), new Fixture.Work(number), job -> options(step, job));
      if (commits) {
        transaction.commit();
        record(step, List.of(id), List.of(number));
      } else {
        transaction.rollback();
      }
    }
  }

  private void enqueueOnce(WalkStep step) {
    String key = "key-" + step.a() % 3;
    int number = ++payloads;
    EnqueueResult result =
        fixture.queue.enqueueOnce(
            type(step), new Fixture.Work(number), job -> options(step, job).idempotencyKey(key));
    JobId known = model.known.putIfAbsent(key, result.jobId());
    if (known == null) {
      assertThat(result).isInstanceOf(EnqueueResult.Enqueued.class);
      record(step, List.of(result.jobId()), List.of(number));
    } else {
      assertThat(result).isEqualTo(new AlreadyQueued(known));
    }
  }

  private void enqueueUnique(WalkStep step) {
    String key = "unique";
    UniqueUntil until = step.until();
    int number = ++payloads;
    NewJob draft =
        fixture
            .queue
            .extension()
            .jobFactory()
            .create(type(step), new Fixture.Work(number), job -> options(step, job))
            .unique(new UniqueKey(key, key, until));
    if (model.holderOf(key) == null) {
      JobId id = store.enqueue(List.of(draft)).get(0).jobId();
      record(step, List.of(id), List.of(number));
      model.job(id).uniqueKey = key;
      model.job(id).uniqueUntil = until;
    } else {
      assertThatThrownBy(() -> store.enqueue(List.of(draft))).isInstanceOf(StoreException.class);
    }
  }

  private static JobType<Fixture.Work> type(WalkStep step) {
    return WORK.onQueue(step.queue()).maxAttempts(step.maxAttempts());
  }

  private static EnqueueOptions options(WalkStep step, EnqueueOptions job) {
    return job.priority(step.priority()).delay(step.delay());
  }

  private void record(WalkStep step, List<JobId> ids, List<Integer> numbers) {
    assertThat(ids).hasSameSizeAs(numbers);
    for (int i = 0; i < ids.size(); i++) {
      model.add(
          new ModelJob(
              ids.get(i), numbers.get(i), step.queue(), step.priority(), step.maxAttempts()),
          step.isLater());
    }
  }

  private static List<Fixture.Work> work(List<Integer> numbers) {
    return numbers.stream().map(Fixture.Work::new).toList();
  }

  // Two workers

  private void claim(WalkStep step) {
    List<Lane> lanes = store.dueLanes(WalkStep.QUEUES).lanes().stream().map(DueLane::lane).toList();
    assertThat(lanes).containsExactlyInAnyOrderElementsOf(model.dueLanes());
    if (lanes.isEmpty()) {
      return;
    }
    List<Lane> order = new ArrayList<>(lanes);
    order.sort(Comparator.comparing(Lane::toString));
    if (step.b() % 2 == 0) {
      order.sort(Comparator.comparing(Lane::toString).reversed());
    }
    boolean expires = step.c() % 3 == 0;
    int limit = 1 + step.b() % 5;
    int cap = 1 + step.c() % 3;
    List<LaneShare> shares = order.stream().map(lane -> new LaneShare(lane, cap, null)).toList();
    List<ClaimedJob> answer =
        store.claim(
            new ClaimRequest(
                WORKERS.get(step.a() % 2),
                shares,
                List.of(WORK.kind()),
                limit,
                expires ? EXPIRED : LEASE));

    int left = limit;
    List<ClaimedJob> rest = answer;
    for (Lane lane : order) {
      List<ModelJob> due =
          model.due(lane).stream().filter(job -> !job.id.equals(model.held)).toList();
      int taken = Math.min(left, Math.min(cap, due.size()));
      assertThat(rest.size()).as("jobs claimed from %s", lane).isGreaterThanOrEqualTo(taken);
      assertFirst(due, rest.subList(0, taken));
      rest = rest.subList(taken, rest.size());
      left -= taken;
    }
    assertThat(rest).isEmpty();
    for (ClaimedJob job : answer) {
      ModelJob expected = model.job(job.execution().jobId());
      expected.start(job.execution(), expires);
      assertThat(job.attempt()).isEqualTo(expected.used());
      assertThat(job.maxAttempts()).isEqualTo(expected.maxAttempts);
      claimed.get(step.a() % 2).add(job.execution());
    }
  }

  /** Asserts that the claimed jobs have been due longest. */
  private static void assertFirst(List<ModelJob> due, List<ClaimedJob> taken) {
    List<JobId> ids = taken.stream().map(job -> job.execution().jobId()).toList();
    assertThat(due.stream().map(job -> job.id)).containsAll(ids);
    long latestTaken =
        due.stream().filter(job -> ids.contains(job.id)).mapToLong(j -> j.dueSince).max().orElse(0);
    assertThat(due.stream().filter(job -> !ids.contains(job.id)))
        .allMatch(job -> job.dueSince >= latestTaken);
  }

  private void heartbeat(WalkStep step) {
    List<Execution> batch = attempts(step);
    boolean expires = step.c() % 3 == 0;
    same(
        store.heartbeat(batch, expires ? EXPIRED : LEASE),
        batch.stream().map(attempt -> model.heartbeat(attempt, expires)).toList());
  }

  private void complete(WalkStep step) {
    List<Execution> batch = attempts(step);
    same(store.complete(batch), batch.stream().map(model::complete).toList());
  }

  private void endWithData(WalkStep step) {
    List<FinalOutcome> batch =
        attempts(step).stream()
            .map(
                attempt ->
                    step.c() % 2 == 0
                        ? FinalOutcome.completed(attempt, "1")
                        : FinalOutcome.cancelled(attempt, "no use"))
            .toList();
    same(store.endWithData(batch), batch.stream().map(model::endWithData).toList());
    batch.forEach(outcome -> seen.add("ended with data as " + outcome.as()));
  }

  private void progress(WalkStep step) {
    List<Execution> batch = attempts(step);
    int percent = step.c() % 101;
    same(
        store.progress(
            batch.stream().map(attempt -> new Progress(attempt, percent, "so far")).toList()),
        batch.stream().map(attempt -> model.progress(attempt, percent)).toList());
  }

  private void completeIn(WalkStep step) throws SQLException {
    letGo();
    for (Execution attempt : attempts(step)) {
      try (Connection transaction = fixture.database.connection()) {
        transaction.setAutoCommit(false);
        if (!model.job(attempt.jobId()).isOwnedBy(attempt)) {
          assertThatThrownBy(() -> store.completeIn(transaction, attempt))
              .isInstanceOf(LeaseLostException.class);
          transaction.rollback();
        } else {
          store.completeIn(transaction, attempt);
          if (step.c() % 3 == 0) {
            transaction.rollback();
          } else {
            transaction.commit();
            assertThat(model.complete(attempt)).isEqualTo(Verdict.DONE);
          }
        }
      }
    }
  }

  private void fail(WalkStep step) {
    List<Failure> batch =
        attempts(step).stream()
            .map(
                attempt ->
                    new Failure(attempt, JobError.of("no luck"), step.delay(), step.c() % 5 == 0))
            .toList();
    same(store.fail(batch), batch.stream().map(model::fail).toList());
  }

  private void requeue(WalkStep step) {
    ExecutionStatus as = step.c() % 2 == 0 ? ExecutionStatus.SNOOZED : ExecutionStatus.RELEASED;
    List<Requeue> batch =
        attempts(step).stream().map(attempt -> new Requeue(attempt, as, step.delay())).toList();
    same(store.requeue(batch), batch.stream().map(model::requeue).toList());
  }

  /**
   * Returns up to three attempts of a worker: usually attempts that it still owns, sometimes any
   * that it ever had.
   */
  private List<Execution> attempts(WalkStep step) {
    List<Execution> all = claimed.get(step.a() % 2);
    List<Execution> candidates =
        step.a() % 3 == 0
            ? all
            : all.stream().filter(e -> model.job(e.jobId()).isOwnedBy(e)).toList();
    return step.pick(candidates);
  }

  // A sweeper

  private void rescue(WalkStep step) {
    int limit = 1 + step.a() % 4;
    List<Rescued> rescued = store.rescue(Duration.ZERO, limit);
    assertThat(rescued).as(place).containsExactlyInAnyOrderElementsOf(model.rescue(limit));
    rescued.forEach(job -> seen.add("rescued to " + job.status()));
  }

  // An operator

  private void cancel(WalkStep step) {
    List<JobId> ids = jobs(step, job -> step.a() % 2 == 0 || job.is(JobStatus.RUNNING));
    same(admin.cancel(ids), ids.stream().map(model::cancel).toList());
  }

  private void redrive(WalkStep step) {
    if (step.a() % 3 == 2) {
      letGo();
      freeAKey();
      if (model.live().anyMatch(job -> job.freedKey != null)) {
        enqueueUnique(step); // takes the key, unless another job has it
      }
    }
    List<JobId> ids = jobs(step, job -> job.is(JobStatus.DEAD) && isChosen(step, job.freedKey));
    same(admin.redrive(ids), model.redrive(ids));
  }

  /**
   * Makes a running job fail finally so that it frees its unique key, because random steps rarely
   * do so.
   */
  private void freeAKey() {
    Optional<Execution> owner =
        model
            .live()
            .filter(job -> job.uniqueKey != null && job.uniqueUntil == UniqueUntil.DEAD)
            .map(job -> job.current())
            .filter(Objects::nonNull)
            .findFirst();
    owner.ifPresent(
        execution -> {
          Failure last = new Failure(execution, JobError.of("no luck"), Duration.ZERO, true);
          same(List.of(store.fail(List.of(last)).get(0)), List.of(model.fail(last)));
        });
  }

  /**
   * Selects any dead job, one that has freed a key, or one whose key another job has taken since.
   */
  private boolean isChosen(WalkStep step, @Nullable String freedKey) {
    return switch (step.a() % 3) {
      case 0 -> true;
      case 1 -> freedKey != null;
      default -> freedKey != null && model.holderOf(freedKey) != null;
    };
  }

  private void prune(WalkStep step) {
    List<JobId> ids = jobs(step, job -> job.is(JobStatus.DEAD));
    same(admin.prune(ids), ids.stream().map(model::prune).toList());
  }

  private void edit(WalkStep step) {
    for (JobId id : jobs(step, job -> job.is(JobStatus.PENDING))) {
      int priority = step.priority();
      Boolean later = step.c() % 3 == 0 ? null : step.c() % 3 == 1;
      JobEdit edit = JobEdit.nothing().priority(priority);
      JobEdit whole = later == null ? edit : edit.delay(later ? WalkStep.LATER : Duration.ZERO);
      model.tick();
      same(List.of(admin.edit(id, whole)), List.of(model.edit(id, priority, later)));
    }
  }

  private void pause(WalkStep step) {
    String queue = WalkStep.QUEUES.get(step.a() % 2);
    if (model.paused.remove(queue)) {
      admin.resume(queue);
    } else {
      admin.pause(queue);
      model.paused.add(queue);
    }
  }

  /**
   * Returns up to three jobs: usually jobs that the command can change, sometimes any job that ever
   * existed.
   */
  private List<JobId> jobs(WalkStep step, Predicate<ModelJob> usual) {
    letGo();
    return step.pick(
        model.jobs.values().stream()
            .filter(step.a() % 4 == 0 ? job -> true : usual)
            .map(job -> job.id)
            .toList());
  }

  // Another session

  /** Locks a row until a later step would have to wait for it. */
  private void hold(WalkStep step) throws SQLException {
    letGo();
    List<JobId> candidates =
        model
            .live()
            .filter(job -> step.a() % 3 == 0 || job.is(JobStatus.RUNNING))
            .map(job -> job.id)
            .toList();
    if (candidates.isEmpty()) {
      return;
    }
    JobId id = candidates.get(step.b() % candidates.size());
    Connection holding = fixture.database.connection();
    rival = holding;
    holding.setAutoCommit(false);
    try (Statement statement = holding.createStatement()) {
      statement.execute(
          "SELECT FROM \"%s\".jobs WHERE id = %s FOR UPDATE"
              .formatted(fixture.database.schema(), id));
    }
    model.held = id;
  }

  private void letGo() {
    model.held = null;
    if (rival != null) {
      try {
        rival.close();
      } catch (SQLException failure) {
        throw new AssertionError(failure);
      }
      rival = null;
    }
  }

  @Override
  public void close() {
    letGo();
  }

  private void same(List<?> answers, List<?> expected) {
    assertThat(answers).as(place).isEqualTo(expected);
    answers.forEach(
        answer ->
            seen.add((answer.getClass().getSimpleName() + ' ' + answer).replaceAll("\\d+", "")));
  }
}
