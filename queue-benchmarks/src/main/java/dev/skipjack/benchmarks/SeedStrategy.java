package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The ways of taking a job from a table that the literature compares. Each takes one job in a
 * transaction of its own, and ends it in another.
 */
enum SeedStrategy {
  /** Looks for a job and marks it, without a lock between the two: several may take the same. */
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
  /** Locks the first job: the others wait for it, and find it taken. */
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
  /** Locks the first job that nobody has locked. */
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

  /** What {@link #claim} answers when it got none. */
  static final long NOTHING = -1;

  private static final String CHOOSE =
      "SELECT id FROM @seed_jobs WHERE status = 'pending' ORDER BY id LIMIT 1";

  private final String label;

  SeedStrategy(String label) {
    this.label = label;
  }

  /** As people call it. */
  String label() {
    return label;
  }

  /** Takes a job; the caller commits. */
  abstract long claim(Connection connection) throws SQLException;

  /** Whether two may take the same job. */
  boolean mayRunTwice() {
    return false;
  }

  /** Ends a job, whoever took it; the caller commits. */
  static void complete(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            sql("UPDATE @seed_jobs SET status = 'done', runs = runs + 1 WHERE id = ?"))) {
      statement.setLong(1, id);
      statement.executeUpdate();
    }
  }

  /** The table of these three: as plain as in the articles, with the index that they need. */
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
