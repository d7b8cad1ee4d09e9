package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Strategies from the literature for taking a job from a table. Each takes a job in one transaction
 * and completes it in another.
 */
enum SeedStrategy {
  /** Selects a job, then updates it, without a lock: several sessions may take the same job. */
  UPDATE_WITHOUT_LOCK("UPDATE") {
    @Override
    long claim(Connection connection) throws SQLException {
      long id = first(connection, CHOOSE);
      if (id != NOTHING) {
        mark(connection, id);
      }
      return id;
    }

    @Override
    boolean mayRunTwice() {
      return true;
    }
  },
  /** Locks the first job. Other sessions wait for the lock and then find that the job is taken. */
  FOR_UPDATE("FOR UPDATE") {
    @Override
    long claim(Connection connection) throws SQLException {
      long id = first(connection, CHOOSE + " FOR UPDATE");
      if (id != NOTHING) {
        mark(connection, id);
      }
      return id;
    }
  },
  /** Locks the first job that no other session has locked. */
  SKIP_LOCKED("SKIP LOCKED") {
    @Override
    long claim(Connection connection) throws SQLException {
      long id = first(connection, CHOOSE + " FOR UPDATE SKIP LOCKED");
      if (id != NOTHING) {
        mark(connection, id);
      }
      return id;
    }
  };

  /** Returned by {@link #claim} if there was no job to take. */
  static final long NOTHING = -1;

  private static final String CHOOSE =
      "SELECT id FROM @seed_jobs WHERE status = 'pending' ORDER BY id LIMIT 1";

  private final String label;

  SeedStrategy(String label) {
    this.label = label;
  }

  /** Returns the usual name of the strategy. */
  String label() {
    return label;
  }

  /** Takes a job and returns its id; the caller commits. */
  abstract long claim(Connection connection) throws SQLException;

  /** Returns whether two sessions may take the same job. */
  boolean mayRunTwice() {
    return false;
  }

  /** Completes a job without checking which session took it; the caller commits. */
  static void complete(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            sql("UPDATE @seed_jobs SET status = 'done', runs = runs + 1 WHERE id = ?"))) {
      statement.setLong(1, id);
      statement.executeUpdate();
    }
  }

  /**
   * Returns statements that create and fill the plain table used in the literature, with its index.
   */
  static List<String> table(long jobs) {
    List<String> statements = new ArrayList<>();
    statements.add("DROP TABLE IF EXISTS @seed_jobs");
    statements.add(
        "CREATE TABLE @seed_jobs (id bigint PRIMARY KEY, status text NOT NULL DEFAULT 'pending',"
            + " runs integer NOT NULL DEFAULT 0, payload jsonb NOT NULL)");
    statements.add(
        "INSERT INTO @seed_jobs (id, payload) SELECT n, jsonb_build_object('n', n, 'text', repeat('x', 80))"
            + " FROM generate_series(1, "
            + jobs
            + ") AS n");
    statements.add("CREATE INDEX ON @seed_jobs (id) WHERE status = 'pending'");
    statements.add("VACUUM ANALYZE @seed_jobs");
    return statements;
  }

  private static long first(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql(query));
        ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getLong(1) : NOTHING;
    }
  }

  private static void mark(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql("UPDATE @seed_jobs SET status = 'running' WHERE id = ?"))) {
      statement.setLong(1, id);
      statement.executeUpdate();
    }
  }

  private static String sql(String text) {
    return BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, text);
  }
}
