package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.steps.BatchTable.Child;
import dev.skipjack.steps.BatchTable.JoinBatch;
import dev.skipjack.steps.BatchTable.ResultsOf;
import dev.skipjack.steps.JoinFailedException.Failed;
import dev.skipjack.steps.JoinStatement.Look;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * The statements of joins. The jobs of a join form a batch, whose owner is the job that waits for
 * them. Safe for any number of threads.
 */
final class Joins {

  /** The maximum size of the results of a join, in bytes. */
  private static final long LARGEST = 16L * 1024 * 1024;

  private final OwnTransactions transactions;
  private final Statement<JoinBatch, Long> open;
  private final Statement<JoinStatement.Request, Look> look;
  private final Statement<Long, Long> reopen;
  private final Statement<Long, Child> died;
  private final Statement<ResultsOf, Child> archived;

  Joins(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.open = Statement.lazily(() -> BatchTable.openSealed(dialect.get()));
    this.look = Statement.lazily(() -> JoinStatement.of(dialect.get()));
    this.reopen = Statement.lazily(() -> BatchTable.reopen(dialect.get()));
    this.died = Statement.lazily(() -> BatchTable.died(dialect.get()));
    this.archived = Statement.lazily(() -> BatchTable.archived(dialect.get()));
  }

  /** Opens the batch of a join in an open transaction, which then inserts its jobs. */
  BatchId open(Connection transaction, String name, JobId owner, int jobs) throws SQLException {
    JoinBatch batch = new JoinBatch(name, owner.value(), jobs);
    return new BatchId(open.run(transaction, batch).get(0));
  }

  /**
   * Returns whether the jobs have ended, or empty if the execution has lost its job. A batch that
   * has finished with a dead job is opened again if that job was redriven.
   */
  Optional<Look> look(Execution execution, Children children) {
    Optional<Look> found = lookOnce(execution, children);
    if (found.isPresent() && found.get().isFinished() && found.get().hasLive()) {
      transactions.run(reopen, children.batch().value());
      return lookOnce(execution, children);
    }
    return found;
  }

  private Optional<Look> lookOnce(Execution execution, Children children) {
    JoinStatement.Request request = new JoinStatement.Request(execution, children.batch().value());
    return transactions.runInOneRoundTrip(look, request).stream().findFirst();
  }

  /**
   * Returns the results of the jobs as JSON, {@code null} for those without one, in the order of
   * the payloads.
   *
   * @throws JoinFailedException if some have not completed
   * @throws PayloadException if the results are too large
   */
  List<String> results(Children children) {
    Map<Long, Child> ended = new HashMap<>();
    long batch = children.batch().value();
    transactions.run(died, batch).forEach(child -> ended.put(child.id(), child));
    transactions
        .run(archived, new ResultsOf(batch, LARGEST))
        .forEach(child -> ended.put(child.id(), child));
    List<String> results = new ArrayList<>();
    List<Failed> failed = new ArrayList<>();
    for (JobId job : children.jobs()) {
      Child child = ended.get(job.value());
      if (child == null) {
        failed.add(new Failed(job, null, null));
      } else if (child.status() != JobStatus.COMPLETED) {
        failed.add(new Failed(job, child.status(), child.error()));
      } else if (child.isTooLarge()) {
        throw new PayloadException(
            "The results of the %d jobs of step '%s' have more than %d bytes as JSON. Store them elsewhere, and return their ids."
                .formatted(children.jobs().size(), children.name(), LARGEST),
            null);
      } else {
        results.add(child.result() == null ? "null" : child.result());
      }
    }
    if (!failed.isEmpty()) {
      throw new JoinFailedException(children.name(), children.jobs().size(), failed);
    }
    return results;
  }
}
