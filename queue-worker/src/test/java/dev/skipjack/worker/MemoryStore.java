package dev.skipjack.worker;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory queue that fulfils {@link dev.skipjack.testkit.AttemptContract} and can be made to
 * fail. Payloads are plain strings. The payload {@code poison} cannot be decoded, and {@code bomb}
 * cannot be sent by the server.
 */
class MemoryStore
    implements JobStore, Maintenance, QueueAccess, PayloadCodec, LeaseKeeper, WorkerRegistry {

  /**
   * Runs before and after every call. An exception makes the call fail, before or after it took
   * effect.
   */
  interface Fault {
    default void before(String call, int size) {}

    default void after(String call, int size) {}
  }

  private static final class Row {
    final long id;
    final NewJob job;
    final int priority;
    final int maxAttempts;
    JobStatus status = JobStatus.PENDING;
    long dueAt;
    int attempts;
    int uncountedAttempts;
    long executionId;
    final List<Execution> executions = new ArrayList<>();
    Instant startedAt = Instant.EPOCH;
    long leaseEnd;
    boolean held;
    boolean cancelRequested;
    @Nullable JobError error;

    Row(long id, NewJob job) {
      this.id = id;
      this.job = job;
      this.priority = Objects.requireNonNullElse(job.priority(), 0);
      this.maxAttempts =
          Objects.requireNonNullElse(job.maxAttempts(), JobType.DEFAULT_MAX_ATTEMPTS);
      this.dueAt = System.nanoTime() + job.delay().toNanos();
    }
  }

  final List<String> calls = new CopyOnWriteArrayList<>();
  final List<ClaimRequest> claims = new CopyOnWriteArrayList<>();
  final List<ClaimRequest> fewClaims = new CopyOnWriteArrayList<>();
  final Map<Long, ExecutionStatus> audit = new LinkedHashMap<>();
  final Map<Long, String> results = new ConcurrentHashMap<>();
  final Map<Long, Progress> progress = new ConcurrentHashMap<>();
  final Map<UUID, WorkerRow> workers = new ConcurrentHashMap<>();
  volatile List<UnhandledKind> unhandled = List.of();
  final Set<String> paused = ConcurrentHashMap.newKeySet();
  volatile int schemaVersion = 1;
  volatile OptionalInt poolSize = OptionalInt.empty();
  final List<Retention> retentions = new CopyOnWriteArrayList<>();
  Pruned pruned = new Pruned(0, 0, false);
  volatile @Nullable Instant missingFrom;
  final List<Postponed> postponed = new CopyOnWriteArrayList<>();
  volatile String bombState = "54000";
  volatile String encoding = WorkerInstructions.UTF8;
  volatile Fault fault = new Fault() {};
  volatile Consumer<String> onDecode = json -> {};
  volatile UnaryOperator<ClaimedJob> onClaim = UnaryOperator.identity();
  private final AtomicReference<@Nullable Runnable> lossOfClaim = new AtomicReference<>();
  private final AtomicReference<@Nullable Runnable> lossOfFew = new AtomicReference<>();

  private final Map<Long, Row> rows = new LinkedHashMap<>();
  private final Map<Connection, Set<Execution>> open = new HashMap<>();
  private long lastJob;
  private long lastExecution;

  @Override
  public JobStore store() {
    return this;
  }

  @Override
  public Maintenance maintenance() {
    return this;
  }

  @Override
  public WorkerRegistry workers() {
    return this;
  }

  @Override
  public WorkerInstructions announce(WorkerRow row) {
    return call(
        "announce",
        1,
        () -> {
          workers.put(row.id().bootId(), row);
          return new WorkerInstructions(Set.of(), schemaVersion, encoding, null, false, false);
        });
  }

  @Override
  public List<UnhandledKind> unhandledKinds(WorkerRow worker) {
    return call("unhandledKinds", 1, () -> unhandled);
  }

  @Override
  public void remove(WorkerId id) {
    workers.remove(id.bootId());
  }

  @Override
  public int schemaVersion() {
    return 1;
  }

  @Override
  public LeaseKeeper leases() {
    return this;
  }

  @Override
  public Set<ExecutionId> cancelRequested(List<Execution> executions) {
    return call(
        "cancelRequested",
        executions.size(),
        () ->
            executions.stream()
                .filter(execution -> row(execution.jobId()).cancelRequested)
                .map(Execution::id)
                .collect(Collectors.toSet()));
  }

  @Override
  public void recheck() {}

  @Override
  public void reserve() {}

  @Override
  public void close() {}

  @Override
  public OptionalInt poolSize() {
    return poolSize;
  }

  @Override
  public boolean listensApart() {
    return false;
  }

  @Override
  public JobEnqueuer in(Connection transaction) {
    throw new UnsupportedOperationException("no test enqueues in a transaction");
  }

  @Override
  public String encodeResult(String kind, Object result) {
    return encode(result);
  }

  @Override
  public List<Verdict> progress(List<Progress> news) {
    return call(
        "progress",
        news.size(),
        () ->
            news.stream()
                .map(
                    one -> judge(List.of(one.execution()), row -> progress.put(row.id, one)).get(0))
                .toList());
  }

  @Override
  public PayloadCodec codec() {
    return this;
  }

  @Override
  public String encode(Object payload) {
    return payload.toString();
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    onDecode.accept(json);
    if (json.equals("poison")) {
      throw new PayloadException("Not a payload.", null);
    }
    return payloadClass.cast(json);
  }

  JobId add(TestJob job) {
    return enqueue(List.of(job.toNewJob())).get(0).jobId();
  }

  /** Adds the given number of jobs like this one. */
  void addAll(int count, TestJob job) {
    enqueue(Collections.nCopies(count, job.toNewJob()));
  }

  synchronized JobStatus status(JobId id) {
    return row(id).status;
  }

  synchronized int attempts(JobId id) {
    return row(id).attempts;
  }

  synchronized int uncountedAttempts(JobId id) {
    return row(id).uncountedAttempts;
  }

  synchronized String error(JobId id) {
    JobError error = row(id).error;
    return error == null ? "" : error.message();
  }

  synchronized long count(JobStatus status) {
    return rows.values().stream().filter(row -> row.status == status).count();
  }

  /** Locks or unlocks the row, as another session would. */
  synchronized void hold(JobId id, boolean held) {
    row(id).held = held;
  }

  /** Gives the job to another worker, whose execution supersedes the current one. */
  synchronized ExecutionId steal(JobId id) {
    row(id).executionId = ++lastExecution;
    return new ExecutionId(lastExecution);
  }

  /** Returns the job as a reader would. */
  synchronized JobDetails find(JobId id) {
    Row row = row(id);
    JobError error = row.error;
    Progress reported = progress.get(row.id);
    JobSummary summary =
        new JobSummary(
            id,
            row.status,
            row.job.queue(),
            row.job.kind(),
            row.job.group(),
            row.priority,
            row.attempts,
            row.uncountedAttempts,
            row.maxAttempts,
            Instant.EPOCH,
            Instant.EPOCH.plusNanos(row.dueAt),
            row.startedAt,
            null,
            null,
            null,
            error == null ? null : error.message(),
            List.of());
    return new JobDetails(
        summary,
        row.job.payload(),
        row.job.payloadVersion(),
        row.executionId == 0 ? null : new ExecutionId(row.executionId),
        Instant.EPOCH.plusNanos(row.leaseEnd),
        null,
        null,
        null,
        reported == null ? null : reported.message(),
        results.get(row.id),
        row.job.headers(),
        null,
        row.executions.stream().map(execution -> attempt(row, execution)).toList());
  }

  private JobExecution attempt(Row row, Execution execution) {
    return new JobExecution(
        execution.id(),
        row.executions.indexOf(execution) + 1,
        Objects.requireNonNull(audit.get(execution.id().value())),
        row.job.queue(),
        null,
        execution.startedAt(),
        null,
        null);
  }

  /** Returns a connection that locks the row of a job until it is closed. */
  Connection lock(JobId job) {
    hold(job, true);
    return transaction(() -> hold(job, false));
  }

  /**
   * Returns a connection whose commit or rollback applies to what {@link #completeIn} did on it.
   */
  Connection begin() {
    return transaction(() -> {});
  }

  private Connection transaction(Runnable onClose) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "commit" -> end((Connection) proxy, true);
                case "rollback" -> end((Connection) proxy, false);
                case "close" -> {
                  end((Connection) proxy, false);
                  onClose.run();
                }
                case "hashCode" -> {
                  return System.identityHashCode(proxy);
                }
                case "equals" -> {
                  return proxy == Objects.requireNonNull(arguments)[0];
                }
                default -> throw new UnsupportedOperationException(method.getName());
              }
              return null;
            });
  }

  private synchronized void end(Connection transaction, boolean commit) {
    for (Execution execution : open.getOrDefault(transaction, Set.of())) {
      Row row = row(execution.jobId());
      row.held = false;
      if (commit) {
        finish(row, JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED);
      }
    }
    open.remove(transaction);
  }

  @Override
  public synchronized List<EnqueueResult> enqueue(List<NewJob> jobs) {
    List<EnqueueResult> results = new ArrayList<>();
    for (NewJob job : jobs) {
      rows.put(++lastJob, new Row(lastJob, job));
      results.add(new EnqueueResult.Enqueued(new JobId(lastJob)));
    }
    return results;
  }

  @Override
  public List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs) {
    throw new UnsupportedOperationException("no test enqueues in a transaction");
  }

  @Override
  public DueLanes dueLanes(List<String> queues) {
    return call("dueLanes", queues.size(), () -> dueLanesNow(queues));
  }

  private DueLanes dueLanesNow(List<String> queues) {
    Map<Lane, Duration> waited = new LinkedHashMap<>();
    long now = System.nanoTime();
    rows.values().stream()
        .filter(row -> isDue(row) && queues.contains(row.job.queue()))
        .filter(row -> !paused.contains(row.job.queue()))
        .forEach(
            row ->
                waited.merge(
                    new Lane(row.job.queue(), row.priority),
                    Duration.ofNanos(now - row.dueAt),
                    (left, right) -> left.compareTo(right) < 0 ? right : left));
    List<DueLane> lanes = new ArrayList<>();
    waited.forEach((lane, time) -> lanes.add(new DueLane(lane, time)));
    return new DueLanes(lanes, List.copyOf(paused));
  }

  @Override
  public List<ClaimedJob> claimFew(ClaimRequest request) {
    fewClaims.add(request);
    List<ClaimedJob> claimed = claim(request);
    Runnable loss = claimed.isEmpty() ? null : lossOfFew.getAndSet(null);
    if (loss != null) {
      loss.run();
      throw new StoreException("Lost.", new SQLException("lost", "08006"), true);
    }
    return claimed;
  }

  @Override
  public synchronized List<ClaimedJob> heldBy(WorkerId worker, ExecutionId after, int limit) {
    calls.add("heldBy");
    return rows.values().stream()
        .filter(row -> row.status == JobStatus.RUNNING && row.executionId > after.value())
        .sorted(Comparator.comparingLong(row -> row.executionId))
        .limit(limit)
        .map(MemoryStore::claimed)
        .toList();
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    claims.add(request);
    List<ClaimedJob> claimed =
        call(
            "claim",
            request.limit(),
            () -> {
              List<Row> next = next(request);
              if (next.stream().anyMatch(row -> row.job.payload().equals("bomb"))) {
                throw new StoreException("Too long.", tooLong());
              }
              return next.stream().map(row -> onClaim.apply(claim(row, request.lease()))).toList();
            });
    Runnable loss = claimed.isEmpty() ? null : lossOfClaim.getAndSet(null);
    if (loss != null) {
      loss.run();
      throw new UnknownClaimException(
          new StoreException("Lost.", new SQLException("lost", "08006"), true), claimed);
    }
    return claimed;
  }

  /**
   * Breaks the connection of the next claim that finds a job, after its commit.
   *
   * @param loss runs before the failure is thrown
   */
  void loseNextClaim(Runnable loss) {
    lossOfClaim.set(loss);
  }

  /**
   * Loses the response to the next claim of a few jobs that finds a job.
   *
   * @param loss runs before the failure is thrown
   */
  void loseNextFew(Runnable loss) {
    lossOfFew.set(loss);
  }

  /** Returns the exception that the driver would throw. */
  private SQLException tooLong() {
    Throwable cause = bombState.equals("53200") ? new OutOfMemoryError("Java heap space") : null;
    return new SQLException("too long", bombState, cause);
  }

  @Override
  public List<ClaimedJob> claimWithoutPayload(ClaimRequest request) {
    return call(
        "claimWithoutPayload",
        request.limit(),
        () ->
            next(request).stream()
                .map(row -> withoutPayload(claim(row, request.lease())))
                .toList());
  }

  private List<Row> next(ClaimRequest request) {
    List<Row> next = new ArrayList<>();
    for (LaneShare share : request.lanes()) {
      rows.values().stream()
          .filter(row -> isDue(row) && !row.held)
          .filter(row -> request.kinds().contains(row.job.kind()))
          .filter(row -> row.job.queue().equals(share.lane().queue()))
          .filter(row -> row.priority == share.lane().priority())
          .sorted(Comparator.<Row>comparingLong(row -> row.dueAt).thenComparingLong(row -> row.id))
          .limit(Math.min(share.cap(), request.limit() - next.size()))
          .forEach(next::add);
    }
    return next;
  }

  private static ClaimedJob withoutPayload(ClaimedJob job) {
    return new ClaimedJob(
        job.execution(),
        job.queue(),
        job.kind(),
        "",
        job.payloadVersion(),
        job.priority(),
        job.attempt(),
        job.uncountedAttempts(),
        job.maxAttempts(),
        job.scheduledAt(),
        job.headers());
  }

  private ClaimedJob claim(Row row, Duration lease) {
    row.status = JobStatus.RUNNING;
    row.attempts++;
    row.executionId = ++lastExecution;
    row.startedAt = Instant.EPOCH.plusNanos(System.nanoTime());
    row.leaseEnd = System.nanoTime() + lease.toNanos();
    audit.put(row.executionId, ExecutionStatus.RUNNING);
    Execution execution =
        new Execution(new JobId(row.id), new ExecutionId(row.executionId), row.startedAt);
    row.executions.add(execution);
    return claimed(row);
  }

  private static ClaimedJob claimed(Row row) {
    Execution execution =
        new Execution(new JobId(row.id), new ExecutionId(row.executionId), row.startedAt);
    return new ClaimedJob(
        execution,
        row.job.queue(),
        row.job.kind(),
        row.job.payload(),
        row.job.payloadVersion(),
        row.priority,
        row.attempts - row.uncountedAttempts,
        row.uncountedAttempts,
        row.maxAttempts,
        Instant.EPOCH.plusNanos(row.dueAt),
        row.job.headers());
  }

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    return call(
        "heartbeat",
        executions.size(),
        () -> {
          List<Renewal> renewals = new ArrayList<>();
          for (Execution execution : executions) {
            Verdict verdict =
                judge(List.of(execution), row -> row.leaseEnd = System.nanoTime() + lease.toNanos())
                    .get(0);
            renewals.add(
                verdict == Verdict.LOST
                    ? lost(execution)
                    : new Renewal(
                        verdict,
                        verdict == Verdict.DONE && row(execution.jobId()).cancelRequested));
          }
          return renewals;
        });
  }

  private Renewal lost(Execution execution) {
    Row row = rows.get(execution.jobId().value());
    if (row == null) {
      return new Renewal(Verdict.LOST, false, false, null);
    }
    boolean live = row.status != JobStatus.COMPLETED && row.status != JobStatus.CANCELLED;
    return new Renewal(
        Verdict.LOST, false, live, row.executionId == 0 ? null : new ExecutionId(row.executionId));
  }

  @Override
  public List<Verdict> complete(List<Execution> executions) {
    return call(
        "complete",
        executions.size(),
        () ->
            judge(executions, row -> finish(row, JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED)));
  }

  @Override
  public List<Verdict> endWithData(List<FinalOutcome> outcomes) {
    return call(
        "endWithData",
        outcomes.size(),
        () -> {
          List<Verdict> verdicts = new ArrayList<>();
          for (FinalOutcome outcome : outcomes) {
            boolean completed = outcome.as() == JobStatus.COMPLETED;
            verdicts.addAll(
                judge(
                    List.of(outcome.execution()),
                    row -> {
                      if (outcome.result() != null) {
                        results.put(row.id, outcome.result());
                      }
                      finish(
                          row,
                          outcome.as(),
                          completed ? ExecutionStatus.SUCCEEDED : ExecutionStatus.CANCELLED);
                    }));
          }
          return verdicts;
        });
  }

  @Override
  public void completeIn(Connection transaction, Execution execution, @Nullable String result) {
    completeIn(transaction, execution);
  }

  @Override
  public synchronized void completeIn(Connection transaction, Execution execution) {
    if (!owned(execution)) {
      throw new LeaseLostException(execution.jobId(), execution.id(), lost(execution).heldBy());
    }
    row(execution.jobId()).held = true;
    open.computeIfAbsent(transaction, key -> new HashSet<>()).add(execution);
  }

  @Override
  public List<Ended> fail(List<Failure> failures) {
    return call("fail", failures.size(), () -> failures.stream().map(this::failNow).toList());
  }

  private Ended failNow(Failure failure) {
    Verdict verdict =
        judge(
                List.of(failure.execution()),
                row -> {
                  row.error = failure.error();
                  if (failure.isFinal()
                      || row.attempts - row.uncountedAttempts >= row.maxAttempts) {
                    finish(row, JobStatus.DEAD, ExecutionStatus.DEAD);
                  } else {
                    finish(row, JobStatus.PENDING, ExecutionStatus.FAILED);
                    row.dueAt = System.nanoTime() + failure.delay().toNanos();
                  }
                })
            .get(0);
    return ended(verdict, failure.execution());
  }

  @Override
  public List<Ended> requeue(List<Requeue> attempts) {
    return call(
        "requeue",
        attempts.size(),
        () -> {
          List<Ended> answers = new ArrayList<>();
          for (Requeue back : attempts) {
            Verdict verdict =
                judge(
                        List.of(back.execution()),
                        row -> {
                          row.uncountedAttempts++;
                          finish(row, JobStatus.PENDING, back.as());
                          row.dueAt =
                              back.as() == ExecutionStatus.RELEASED && back.until() != null
                                  ? Duration.between(Instant.EPOCH, back.until()).toNanos()
                                  : System.nanoTime() + back.delay().toNanos();
                        })
                    .get(0);
            answers.add(ended(verdict, back.execution()));
          }
          return answers;
        });
  }

  private Ended ended(Verdict verdict, Execution execution) {
    return new Ended(verdict, verdict == Verdict.DONE ? row(execution.jobId()).status : null);
  }

  /** Requests the cancellation of a running job, as an operator would. */
  synchronized void requestCancel(JobId job) {
    row(job).cancelRequested = true;
  }

  @Override
  public List<Rescued> rescue(Duration spread, int limit) {
    return call(
        "rescue",
        limit,
        () -> {
          List<Rescued> rescued = new ArrayList<>();
          for (Row row : rows.values()) {
            boolean over = row.leaseEnd - System.nanoTime() < 0;
            if (row.status == JobStatus.RUNNING && over && !row.held && rescued.size() < limit) {
              Execution lost =
                  new Execution(new JobId(row.id), new ExecutionId(row.executionId), row.startedAt);
              boolean dead = row.attempts - row.uncountedAttempts >= row.maxAttempts;
              finish(row, dead ? JobStatus.DEAD : JobStatus.PENDING, ExecutionStatus.LOST);
              row.dueAt = System.nanoTime();
              rescued.add(new Rescued(lost, row.job.queue(), row.job.kind(), row.status));
            }
          }
          return rescued;
        });
  }

  @Override
  public CreatedPartitions createPartitions(Duration ahead) {
    return call(
        "createPartitions",
        1,
        () ->
            new CreatedPartitions(
                List.of(), List.copyOf(postponed), Optional.ofNullable(missingFrom)));
  }

  @Override
  public RemovedPartitions removePartitions(Retention retention) {
    return call(
        "removePartitions",
        1,
        () -> {
          retentions.add(retention);
          return new RemovedPartitions(List.of(), 0, List.of());
        });
  }

  @Override
  public List<Optional<ExecutionStatus>> statuses(List<Execution> executions) {
    return call(
        "statuses",
        executions.size(),
        () ->
            executions.stream()
                .map(execution -> Optional.ofNullable(audit.get(execution.id().value())))
                .toList());
  }

  @Override
  public Pruned prune() {
    return call("prune", 1, () -> pruned);
  }

  @Override
  public Optional<WakeUps> wakeUps() {
    return Optional.empty();
  }

  private interface Body<R> {
    R run();
  }

  /**
   * Runs a call. Faults run outside the lock, so that a blocking fault behaves like a slow network.
   */
  private <R> R call(String name, int size, Body<R> body) {
    calls.add(name);
    fault.before(name, size);
    R result;
    synchronized (this) {
      result = body.run();
    }
    fault.after(name, size);
    return result;
  }

  private interface Change {
    void apply(Row row);
  }

  private List<Verdict> judge(List<Execution> executions, Change change) {
    List<Verdict> verdicts = new ArrayList<>();
    for (Execution execution : executions) {
      if (!owned(execution)) {
        verdicts.add(Verdict.LOST);
        continue;
      }
      Row row = row(execution.jobId());
      if (row.held) {
        verdicts.add(Verdict.BUSY);
      } else {
        change.apply(row);
        verdicts.add(Verdict.DONE);
      }
    }
    return verdicts;
  }

  private void finish(Row row, JobStatus status, ExecutionStatus as) {
    boolean cancel = row.cancelRequested && status != JobStatus.COMPLETED;
    audit.put(row.executionId, cancel ? ExecutionStatus.CANCELLED : as);
    row.status = cancel ? JobStatus.CANCELLED : status;
    row.executionId = 0;
  }

  private boolean owned(Execution execution) {
    Row row = rows.get(execution.jobId().value());
    return row != null && row.executionId == execution.id().value();
  }

  private static boolean isDue(Row row) {
    return row.status == JobStatus.PENDING && row.dueAt - System.nanoTime() <= 0;
  }

  private Row row(JobId id) {
    return Objects.requireNonNull(rows.get(id.value()));
  }
}
