package dev.skipjack.store.jooq;

import dev.skipjack.api.JobId;
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
import dev.skipjack.operations.bulk.ChangeTable;
import dev.skipjack.operations.bulk.ChangeTable.By;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Administrative operations that record who made each change, and why. The record is written in the
 * transaction of the change. Safe for any number of threads.
 */
final class RecordedAdmin implements QueueAdmin {

  private final QueueAdmin plain;
  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;
  private final Function<Supplier<Connection>, JooqQueueAdmin> within;
  private final By by;

  /**
   * @param plain makes the same changes in transactions of its own
   * @param within creates an administration that makes changes in the transaction of a connection
   */
  RecordedAdmin(
      QueueAdmin plain,
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      Function<Supplier<Connection>, JooqQueueAdmin> within,
      By by) {
    this.plain = plain;
    this.transactions = transactions;
    this.dialect = dialect;
    this.within = within;
    this.by = by;
  }

  @Override
  public QueueAdmin as(String actor, @Nullable String reason) {
    return plain.as(actor, reason);
  }

  /** A change in a transaction, with the table of its record. */
  @FunctionalInterface
  private interface Change<R> {
    R make(JooqQueueAdmin admin, ChangeTable table);
  }

  private <R> R inTransaction(Change<R> change) {
    return transactions
        .bounded()
        .onConnection(
            connection -> {
              Supplier<Connection> same = () -> connection;
              return change.make(
                  within.apply(same), new ChangeTable(transactions.within(same), dialect));
            });
  }

  /** Changes jobs, and records those that were changed. */
  private <R> List<R> changeJobs(
      String action,
      List<JobId> jobs,
      Function<JooqQueueAdmin, Function<List<JobId>, List<R>>> command,
      Predicate<R> isDone,
      Predicate<R> isBusy,
      @Nullable R locked) {
    return BatchedCommand.run(
        jobs,
        batch ->
            inTransaction(
                (admin, table) -> {
                  Map<JobId, String> queues = table.queuesOf(batch);
                  List<R> results = command.apply(admin).apply(batch);
                  for (int i = 0; i < batch.size(); i++) {
                    if (isDone.test(results.get(i))) {
                      JobId job = batch.get(i);
                      table.insert(by, action, queues.get(job), job.toString());
                    }
                  }
                  return results;
                }),
        isBusy,
        locked);
  }

  @Override
  public List<CancelResult> cancel(List<JobId> jobs) {
    return changeJobs(
        "cancel",
        jobs,
        admin -> admin::cancel,
        result -> result == CancelResult.CANCELLED || result == CancelResult.REQUESTED,
        result -> result == CancelResult.BUSY,
        null);
  }

  @Override
  public List<RedriveResult> redrive(List<JobId> jobs) {
    return changeJobs(
        "redrive",
        jobs,
        admin -> admin::redrive,
        RedriveResult.Redriven.class::isInstance,
        RedriveResult.Busy.class::isInstance,
        new RedriveResult.Busy());
  }

  @Override
  public EditResult edit(JobId job, JobEdit edit) {
    return changeJobs(
            "edit",
            List.of(job),
            admin -> batch -> List.of(admin.edit(batch.get(0), edit)),
            result -> result == EditResult.EDITED,
            result -> result == EditResult.BUSY,
            null)
        .get(0);
  }

  @Override
  public List<PruneResult> prune(List<JobId> jobs) {
    return changeJobs(
        "prune",
        jobs,
        admin -> admin::prune,
        result -> result == PruneResult.PRUNED,
        result -> result == PruneResult.BUSY,
        null);
  }

  @Override
  public RedriveSummary redriveAll(DeadJobs which) {
    RedriveSummary summary = plain.redriveAll(which);
    record("redrive_all", null, summary.redriven() + " jobs");
    return summary;
  }

  @Override
  public int pruneAll(DeadJobs which, Duration age, IntConsumer progress) {
    int pruned = plain.pruneAll(which, age, progress);
    record("prune_all", null, pruned + " jobs");
    return pruned;
  }

  private void record(String action, @Nullable String queue, String target) {
    new ChangeTable(transactions, dialect).insert(by, action, queue, target);
  }

  @Override
  public boolean unblock(String orderingKey) {
    return changeKey(
        "unblock", orderingKey, null, admin -> admin.unblock(orderingKey), Boolean::booleanValue);
  }

  @Override
  public boolean unblock(String orderingKey, JobId head) {
    return changeKey(
        "unblock",
        orderingKey,
        head,
        admin -> admin.unblock(orderingKey, head),
        Boolean::booleanValue);
  }

  @Override
  public SkipResult skipHead(String orderingKey) {
    return changeKey(
        "skip_head",
        orderingKey,
        null,
        admin -> admin.skipHead(orderingKey),
        RecordedAdmin::isSkipped);
  }

  @Override
  public SkipResult skipHead(String orderingKey, JobId head) {
    return changeKey(
        "skip_head",
        orderingKey,
        head,
        admin -> admin.skipHead(orderingKey, head),
        RecordedAdmin::isSkipped);
  }

  private static boolean isSkipped(SkipResult result) {
    return result == SkipResult.SKIPPED;
  }

  private <R> R changeKey(
      String action,
      String key,
      @Nullable JobId head,
      Function<JooqQueueAdmin, R> change,
      Predicate<R> isDone) {
    return inTransaction(
        (admin, table) -> {
          String queue = head == null ? null : table.queuesOf(List.of(head)).get(head);
          R result = change.apply(admin);
          if (isDone.test(result)) {
            table.insert(by, action, queue, key);
          }
          return result;
        });
  }

  @Override
  public void pause(String queue, QueuePause pause) {
    changeQueue("pause", queue, admin -> admin.pause(queue, pause));
  }

  @Override
  public void resume(String queue) {
    changeQueue("resume", queue, admin -> admin.resume(queue));
  }

  @Override
  public void configure(String queue, QueueSettings settings) {
    changeQueue("configure", queue, admin -> admin.configure(queue, settings));
  }

  @Override
  public boolean declare(String queue, QueueSettings settings) {
    return changeIf("declare", queue, queue, admin -> admin.declare(queue, settings));
  }

  @Override
  public void limit(String name, Limit limit) {
    boolean unused =
        changeIf(
            "limit",
            null,
            name,
            admin -> {
              admin.limit(name, limit);
              return true;
            });
  }

  @Override
  public boolean declareLimit(String name, Limit limit) {
    return changeIf("declare_limit", null, name, admin -> admin.declareLimit(name, limit));
  }

  @Override
  public boolean removeLimit(String name) {
    return changeIf("remove_limit", null, name, admin -> admin.removeLimit(name));
  }

  @Override
  public boolean resetLimit(String name) {
    return changeIf("reset_limit", null, name, admin -> admin.resetLimit(name));
  }

  @Override
  public Optional<Limit> limit(String name) {
    return plain.limit(name);
  }

  @Override
  public void configureGroup(String queue, String group, GroupSettings settings) {
    changeGroup(
        "configure_group", queue, group, admin -> admin.configureGroup(queue, group, settings));
  }

  @Override
  public Optional<GroupSettings> groupSettings(String queue, String group) {
    return plain.groupSettings(queue, group);
  }

  @Override
  public void pauseGroup(String queue, String group) {
    changeGroup("pause_group", queue, group, admin -> admin.pauseGroup(queue, group));
  }

  @Override
  public void resumeGroup(String queue, String group) {
    changeGroup("resume_group", queue, group, admin -> admin.resumeGroup(queue, group));
  }

  private void changeGroup(String action, String queue, String group, Consumer<QueueAdmin> change) {
    boolean unused =
        changeIf(
            action,
            queue,
            group,
            admin -> {
              change.accept(admin);
              return true;
            });
  }

  /** Makes a change, and records it if it had an effect. */
  private boolean changeIf(
      String action, @Nullable String queue, String target, Predicate<QueueAdmin> change) {
    return inTransaction(
        (admin, table) -> {
          boolean changed = change.test(admin);
          if (changed) {
            table.insert(by, action, queue, target);
          }
          return changed;
        });
  }

  private void changeQueue(String action, String queue, Consumer<QueueAdmin> change) {
    boolean unused =
        inTransaction(
            (admin, table) -> {
              change.accept(admin);
              table.insert(by, action, queue, queue);
              return true;
            });
  }

  @Override
  public Optional<QueueSettings> settings(String queue) {
    return plain.settings(queue);
  }
}
