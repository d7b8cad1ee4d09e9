package dev.skipjack.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A pool that records where each connection in use was borrowed. */
final class WatchedPool extends HikariDataSource {

  /** The classes through which a connection is passed before the test receives it. */
  private static final Set<String> HANDS =
      Set.of(
          WatchedPool.class.getName(),
          QueueDatabase.class.getName(),
          "dev.skipjack.faults.FaultyDataSource");

  private record Loan(Connection connection, String thread, Throwable stack) {

    boolean isOver() {
      try {
        return connection.isClosed();
      } catch (SQLException e) {
        return false;
      }
    }

    Throwable describe() {
      StackTraceElement[] frames = stack.getStackTrace();
      String place =
          Arrays.stream(frames)
              .filter(frame -> !HANDS.contains(frame.getClassName()))
              .findFirst()
              .map(StackTraceElement::toString)
              .orElse("unknown code");
      Throwable taken = new Throwable("Taken by %s in thread '%s'".formatted(place, thread));
      taken.setStackTrace(frames);
      return taken;
    }
  }

  private final List<Loan> loans = new ArrayList<>();

  WatchedPool(HikariConfig config) {
    super(config);
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection;
    try {
      connection = super.getConnection();
    } catch (SQLTransientConnectionException exhausted) {
      out().forEach(exhausted::addSuppressed);
      throw exhausted;
    }
    synchronized (loans) {
      loans.removeIf(Loan::isOver);
      loans.add(new Loan(connection, Thread.currentThread().getName(), new Throwable()));
    }
    return connection;
  }

  /**
   * Returns a throwable for each connection that has not been returned. Its stack trace shows where
   * the connection was borrowed.
   */
  List<Throwable> out() {
    synchronized (loans) {
      loans.removeIf(Loan::isOver);
      return loans.stream().map(Loan::describe).toList();
    }
  }
}
