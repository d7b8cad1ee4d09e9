package dev.skipjack.operations.bulk;

import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.sql.Connection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Continues the operations whose process has ended, one after another. It keeps the operation that
 * it has taken over until it ends, so that its caller can work in short steps. Not thread-safe.
 */
public final class AbandonedOperations {

  private static final int LONGEST_REASON = 1_000;

  private final OperationTable table;
  private final JobReader reader;
  private final Function<Supplier<Connection>, BatchCommands> commands;
  private @Nullable OperationRun current;
  private long currentId;

  /**
   * Creates an instance. Opens no connection.
   *
   * @param transactions runs the statements
   * @param dialect renders statements for the queue's schema, without a connection
   * @param reader reads the jobs
   * @param commands creates commands that run in the transaction of the supplied connection
   */
  public AbandonedOperations(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      JobReader reader,
      Function<Supplier<Connection>, BatchCommands> commands) {
    this.table = new OperationTable(transactions, dialect);
    this.reader = reader;
    this.commands = commands;
  }

  /**
   * Takes over an abandoned operation, unless one was taken over that has not ended.
   *
   * @return whether {@link #batch} can be called
   */
  public boolean takeOver() {
    if (current == null) {
      UUID run = UUID.randomUUID();
      table
          .takeOver(run)
          .ifPresent(
              id -> {
                current = new OperationRun(table, reader, commands, id, run);
                currentId = id;
              });
    }
    return current != null;
  }

  /**
   * Changes a batch of jobs of the operation that was taken over.
   *
   * @return the operation if this was its last batch; empty if there are more, or the operation was
   *     stopped, or another process continues it
   */
  public Optional<JobOperation> batch() {
    if (current == null) {
      return Optional.empty();
    }
    Optional<JobOperation> changed = current.batch();
    boolean goesOn = changed.filter(one -> one.state() == State.RUNNING).isPresent();
    if (!goesOn) {
      current = null;
    }
    return goesOn ? Optional.empty() : changed;
  }

  /**
   * Leaves the operation that was taken over to others, who may try again when it counts as
   * abandoned, and records the reason in it.
   *
   * @param reason why it cannot be continued
   * @return the id of the operation
   */
  public long leave(String reason) {
    OperationRun left = current;
    current = null;
    if (left != null) {
      left.explain(reason.substring(0, Math.min(LONGEST_REASON, reason.length())));
    }
    return currentId;
  }
}
