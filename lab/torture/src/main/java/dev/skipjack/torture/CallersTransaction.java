package dev.skipjack.torture;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A transaction of a caller in which jobs are enqueued.
 *
 * @param isolation the isolation level, a constant of {@link Connection}
 * @param inSql whether the SQL function enqueues the jobs, and not the API
 */
record CallersTransaction(int isolation, boolean inSql, Ending ending) {

  private static final int[] LEVELS = {
    Connection.TRANSACTION_READ_COMMITTED,
    Connection.TRANSACTION_REPEATABLE_READ,
    Connection.TRANSACTION_SERIALIZABLE
  };

  /** One in this number of transactions rolls back, and another one rolls back to a savepoint. */
  private static final int ROLLED_BACK = 10;

  enum Ending {
    COMMIT,
    ROLLBACK,
    /** A copy of the first job is rolled back to a savepoint. Then the transaction commits. */
    SAVEPOINT
  }

  static CallersTransaction draw(SplittableRandom random, Work first) {
    int draw = random.nextInt(ROLLED_BACK);
    Ending ending = draw == 0 ? Ending.ROLLBACK : draw == 1 ? Ending.SAVEPOINT : Ending.COMMIT;
    // The function has no parameter for the policy of an ordering key.
    boolean inSql = first.workload() != Workload.ORDERED && random.nextBoolean();
    return new CallersTransaction(LEVELS[random.nextInt(LEVELS.length)], inSql, ending);
  }

  String label() {
    return "tx%s %s".formatted(inSql ? " sql" : "", ending.name().toLowerCase(Locale.ROOT));
  }

  /** Returns the jobs whose enqueue the transaction rolls back. */
  List<Work> discarded(List<Work> works) {
    return switch (ending) {
      case COMMIT -> List.of();
      case ROLLBACK -> works;
      case SAVEPOINT -> List.of(works.get(0).discarded());
    };
  }

  /**
   * Runs the transaction.
   *
   * @return the results of the jobs; empty if the transaction was rolled back as planned
   * @throws SQLException if the commit failed, so that it may have succeeded
   * @throws StoreException if the transaction failed before its commit and was rolled back
   */
  List<EnqueueResult> run(ProducerAccess queue, List<Work> works) throws SQLException {
    Connection connection;
    try {
      connection = queue.dataSource().getConnection();
    } catch (SQLException failure) {
      throw new StoreException("Could not get a connection.", failure);
    }
    try (connection) {
      List<EnqueueResult> results;
      try {
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        if (ending == Ending.SAVEPOINT) {
          Savepoint before = connection.setSavepoint();
          List<EnqueueResult> unused = enqueue(queue, connection, discarded(works));
          connection.rollback(before);
        }
        results = enqueue(queue, connection, works);
        if (ending == Ending.ROLLBACK) {
          connection.rollback();
          return List.of();
        }
      } catch (SQLException failure) {
        throw new StoreException("The enqueue failed and was rolled back.", failure);
      }
      connection.commit();
      return results;
    }
  }

  private List<EnqueueResult> enqueue(ProducerAccess queue, Connection connection, List<Work> works)
      throws SQLException {
    if (!inSql) {
      return queue
          .within()
          .apply(connection)
          .enqueueAll(works.get(0).type(), works, works.get(0)::options)
          .stream()
          .<EnqueueResult>map(Enqueued::new)
          .toList();
    }
    List<EnqueueResult> results = new ArrayList<>();
    for (Work work : works) {
      results.add(new Enqueued(SqlEnqueue.enqueue(connection, queue.schema(), work)));
    }
    return results;
  }
}
