package dev.skipjack.store.jooq;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.operations.diagnosis.UnhandledKinds;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/** Implements the registry of workers in PostgreSQL. */
final class JooqWorkerRegistry implements WorkerRegistry {

  private final OwnTransactions transactions;
  private final Statement<WorkerRow, WorkerInstructions> announce;
  private final Statement<WorkerId, Integer> remove;
  private final Statement<Duration, Integer> removeSilent;
  private final UnhandledKinds unhandledKinds;
  private final Statement<AddMinuteStatement.Request, Integer> addMinute;
  private final Statement<RecordStacksStatement.Request, Integer> recordStacks;
  private final Depths depths;

  /**
   * @param counts counts the live jobs
   */
  JooqWorkerRegistry(
      OwnTransactions transactions, Lazy<DSLContext> dialect, Supplier<List<JobCount>> counts) {
    this.transactions = transactions;
    this.announce = Statement.lazily(() -> AnnounceStatement.of(dialect.get()));
    this.remove = Statement.lazily(() -> RemoveWorkersStatement.ofOne(dialect.get()));
    this.removeSilent = Statement.lazily(() -> RemoveWorkersStatement.ofSilent(dialect.get()));
    this.unhandledKinds = new UnhandledKinds(transactions, dialect);
    this.addMinute = Statement.lazily(() -> AddMinuteStatement.of(dialect.get()));
    this.recordStacks = Statement.lazily(() -> RecordStacksStatement.of(dialect.get()));
    this.depths = new Depths(transactions, dialect, counts);
  }

  @Override
  public WorkerInstructions announce(WorkerRow row) {
    return transactions.run(announce, row).get(0);
  }

  @Override
  public List<UnhandledKind> unhandledKinds(WorkerRow worker) {
    return unhandledKinds.of(worker);
  }

  @Override
  public void remove(WorkerId id) {
    transactions.run(remove, id);
  }

  @Override
  public void addMinute(WorkerId worker, List<JobMinute> counts) {
    transactions.run(addMinute, new AddMinuteStatement.Request(worker, counts));
  }

  @Override
  public void addDepths() {
    depths.add();
  }

  @Override
  public void recordStacks(List<StackSample> samples, List<ExecutionId> ended) {
    if (!samples.isEmpty() || !ended.isEmpty()) {
      transactions.run(recordStacks, new RecordStacksStatement.Request(samples, ended));
    }
  }

  /** Removes the rows of workers that have sent no heartbeat for {@code silence}. */
  void removeSilent(Duration silence) {
    transactions.run(removeSilent, silence);
  }
}
