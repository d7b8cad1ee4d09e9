package dev.skipjack.store.jooq;

import static java.util.Objects.requireNonNull;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.RedriveSummary;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.api.spi.GroupKey;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.OrderingKey;
import dev.skipjack.operations.bulk.BatchCommands;
import dev.skipjack.operations.bulk.ChangeTable;
import dev.skipjack.operations.bulk.PatchResult;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.ordering.ExpectedHead;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Implements the administrative operations on PostgreSQL. */
final class JooqQueueAdmin implements QueueAdmin, BatchCommands {

  private static final List<JobStatus> DEAD = List.of(JobStatus.DEAD);
  private static final List<JobStatus> NOT_RUNNING =
      List.of(JobStatus.PENDING, JobStatus.WAITING, JobStatus.DEAD);

  private final OwnTransactions transactions;
  private final PartitionHealing healing;
  private final Lazy<DSLContext> dialect;
  private final QueueSettingsTable settings;
  private final LimitTable limits;
  private final GroupTable groups;
  private final NewJobFactory jobFactory;
  private final JooqOrderedJobs orderedJobs;
  private final Successors successors;
  private final DeadJobWalker deadJobs;
  private final Statement<List<JobId>, KeyedResult<CancelResult>> cancel;
  private final Statement<List<JobId>, KeyedResult<RedriveResult>> redrive;
  private final Statement<EditStatement.Request, EditResult> edit;
  private final Statement<PatchPayloadStatement.Request, PatchResult> patch;

  JooqQueueAdmin(
      OwnTransactions transactions,
      PartitionHealing healing,
      Lazy<DSLContext> dialect,
      NewJobFactory jobFactory,
      Successors successors,
      DeadJobWalker deadJobs) {
    this.transactions = transactions;
    this.healing = healing;
    this.dialect = dialect;
    RareStatements statements = new RareStatements(transactions, dialect);
    this.settings = new QueueSettingsTable(statements);
    this.limits = new LimitTable(transactions, statements, dialect);
    this.groups = new GroupTable(statements);
    this.jobFactory = jobFactory;
    this.orderedJobs = successors.orderedJobs();
    this.successors = successors;
    this.deadJobs = deadJobs;
    this.cancel = Statement.lazily(() -> CancelStatement.of(dialect.get()));
    this.redrive = Statement.lazily(() -> RedriveStatement.of(dialect.get()));
    this.edit = Statement.lazily(() -> EditStatement.of(dialect.get()));
    this.patch = Statement.lazily(() -> PatchPayloadStatement.of(dialect.get()));
  }

  @Override
  public QueueAdmin as(String actor, @Nullable String reason) {
    return new RecordedAdmin(
        this, transactions, dialect, this::within, new ChangeTable.By(actor, reason));
  }

  private JooqQueueAdmin within(Supplier<Connection> transaction) {
    OwnTransactions same = transactions.within(transaction);
    // Owners are left to the workers' sweep, because the ends are not committed yet.
    Successors keys = new Successors(new JooqOrderedJobs(same, dialect), owners -> {});
    PartitionHealing healed = PartitionHealing.by(same, dialect);
    return new JooqQueueAdmin(
        same, healed, dialect, jobFactory, keys, new DeadJobWalker(same, healed, dialect, keys));
  }

  @Override
  public List<CancelResult> cancel(List<JobId> jobs) {
    return run(
        jobs,
        batch -> successors.passOn(healing.run(() -> transactions.run(cancel, batch))),
        result -> result == CancelResult.BUSY,
        null);
  }

  @Override
  public List<RedriveResult> redrive(List<JobId> jobs) {
    return run(
        jobs,
        batch -> successors.passOn(transactions.impatient().run(redrive, batch)),
        result -> result instanceof RedriveResult.Busy,
        new RedriveResult.Busy());
  }

  @Override
  public RedriveSummary redriveAll(DeadJobs which) {
    int[] redriven = {0};
    Map<JobId, RedriveResult> refused = new LinkedHashMap<>();
    deadJobs.forEachBatch(
        which,
        Duration.ZERO,
        batch -> {
          List<RedriveResult> results = redrive(batch);
          for (int i = 0; i < batch.size(); i++) {
            if (results.get(i) instanceof RedriveResult.Redriven) {
              redriven[0]++;
            } else {
              refused.put(batch.get(i), results.get(i));
            }
          }
          return true;
        });
    return new RedriveSummary(redriven[0], refused);
  }

  @Override
  public EditResult edit(JobId job, JobEdit edit) {
    String payload =
        edit.payload().map(changed -> jobFactory.encodeEdit(job, changed)).orElse(null);
    return edit(List.of(job), edit, payload).get(0);
  }

  @Override
  public List<EditResult> hurry(List<JobId> jobs) {
    return edit(jobs, JobEdit.nothing().delay(Duration.ZERO), null);
  }

  private List<EditResult> edit(List<JobId> jobs, JobEdit change, @Nullable String payload) {
    return run(
        jobs,
        batch -> transactions.run(edit, new EditStatement.Request(batch, change, payload)),
        result -> result == EditResult.BUSY,
        null);
  }

  @Override
  public List<PatchResult> patch(List<JobId> jobs, String document, boolean onlyDead) {
    return run(
        jobs,
        batch ->
            transactions.run(
                patch,
                new PatchPayloadStatement.Request(
                    batch, document, onlyDead ? DEAD : NOT_RUNNING, jobFactory.largestStored())),
        result -> result == PatchResult.BUSY,
        null);
  }

  /** Runs a command in batches, or once if the transaction is the caller's. */
  private <R> List<R> run(
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      Predicate<R> isBusy,
      @Nullable R locked) {
    return transactions.areCallers()
        ? BatchedCommand.once(jobs, command)
        : BatchedCommand.run(jobs, command, isBusy, locked);
  }

  @Override
  public boolean unblock(String orderingKey) {
    return unblock(new ExpectedHead(OrderingKey.require(orderingKey), null));
  }

  @Override
  public boolean unblock(String orderingKey, JobId head) {
    return unblock(new ExpectedHead(OrderingKey.require(orderingKey), requireNonNull(head)));
  }

  private boolean unblock(ExpectedHead expected) {
    boolean unblocked =
        BatchedCommand.retried(
            () -> orderedJobs.unblock(expected),
            done -> !done && orderedJobs.isBlockedBy(expected));
    if (!unblocked && orderedJobs.isBlockedBy(expected)) {
      throw new QueueException(
          "Ordering key '%s' was not unblocked: another transaction has locked the dead job that blocks it. Try again."
              .formatted(expected.key()),
          null);
    }
    return unblocked;
  }

  @Override
  public SkipResult skipHead(String orderingKey) {
    return skipHead(new ExpectedHead(OrderingKey.require(orderingKey), null));
  }

  @Override
  public SkipResult skipHead(String orderingKey, JobId head) {
    return skipHead(new ExpectedHead(OrderingKey.require(orderingKey), requireNonNull(head)));
  }

  private SkipResult skipHead(ExpectedHead expected) {
    return BatchedCommand.retried(
        () -> orderedJobs.skipHead(expected), result -> result == SkipResult.BUSY);
  }

  @Override
  public List<PruneResult> prune(List<JobId> jobs) {
    return deadJobs.prune(jobs);
  }

  @Override
  public int pruneAll(DeadJobs which, Duration age, IntConsumer progress) {
    if (age.isNegative() || age.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Age %s is not in 0..%d days.".formatted(age, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    int[] pruned = {0};
    deadJobs.forEachBatch(
        which,
        age,
        batch -> {
          pruned[0] += deadJobs.pruneAndCount(batch);
          progress.accept(pruned[0]);
          return true;
        });
    return pruned[0];
  }

  @Override
  public void pause(String queue, QueuePause pause) {
    settings.pause(named(queue), pause);
  }

  @Override
  public void resume(String queue) {
    settings.resume(named(queue));
  }

  @Override
  public void configure(String queue, QueueSettings wanted) {
    settings.configure(named(queue), wanted);
  }

  @Override
  public boolean declare(String queue, QueueSettings wanted) {
    return settings.declare(named(queue), wanted);
  }

  @Override
  public Optional<QueueSettings> settings(String queue) {
    return settings.find(named(queue));
  }

  @Override
  public void limit(String name, Limit limit) {
    limits.put(Names.requireLimit(name), limit);
  }

  @Override
  public boolean declareLimit(String name, Limit limit) {
    return limits.declare(Names.requireLimit(name), limit);
  }

  @Override
  public boolean removeLimit(String name) {
    return limits.remove(Names.requireLimit(name));
  }

  @Override
  public boolean resetLimit(String name) {
    return limits.reset(Names.requireLimit(name));
  }

  @Override
  public Optional<Limit> limit(String name) {
    return limits.find(Names.requireLimit(name));
  }

  @Override
  public void configureGroup(String queue, String group, GroupSettings wanted) {
    groups.configure(named(queue), GroupKey.require(group), wanted);
  }

  @Override
  public Optional<GroupSettings> groupSettings(String queue, String group) {
    return groups.find(named(queue), GroupKey.require(group));
  }

  @Override
  public void pauseGroup(String queue, String group) {
    groups.pause(named(queue), GroupKey.require(group));
  }

  @Override
  public void resumeGroup(String queue, String group) {
    groups.resume(named(queue), GroupKey.require(group));
  }

  private static String named(String queue) {
    Names.requireQueue(queue);
    return queue;
  }
}
