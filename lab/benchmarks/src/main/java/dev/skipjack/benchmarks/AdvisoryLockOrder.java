package dev.skipjack.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * A method from the literature for ordering the jobs of a key. It claims rows with {@code SKIP
 * LOCKED}, tries to take an advisory lock on the key of each, and runs the jobs whose keys it
 * locked. Row and advisory locks are held until the transaction ends, after the handlers.
 *
 * <p>The method runs one job of a key at a time, but not in order. After one session has claimed
 * the first jobs of a key, another session may skip their rows, claim later jobs of the key, and
 * take the advisory lock first.
 */
final class AdvisoryLockOrder {

  static final String SCHEMA = BenchmarkDatabase.SCHEMA + "_advisory";

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String CLAIM =
      qualified(
          "SELECT id, ordering_key, payload FROM @jobs WHERE status = 'pending' ORDER BY id LIMIT ?"
              + " FOR UPDATE SKIP LOCKED");

  private static final String LOCK =
      "SELECT key FROM unnest(?) AS key WHERE pg_try_advisory_xact_lock(hashtextextended(key, 0))";

  private static final String COMPLETE =
      qualified("UPDATE @jobs SET status = 'done' WHERE id = ANY (?)");

  private AdvisoryLockOrder() {}

  /** Creates the table in a separate schema, after dropping an existing one. */
  static void create(BenchmarkDatabase database) throws SQLException {
    database.execute(
        "DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE",
        "CREATE SCHEMA " + SCHEMA,
        qualified(
            "CREATE TABLE @jobs (id bigint PRIMARY KEY, status text NOT NULL DEFAULT 'pending',"
                + " ordering_key text NOT NULL, payload jsonb NOT NULL)"),
        qualified("CREATE INDEX ON @jobs (id) WHERE status = 'pending'"));
  }

  /** Replaces the jobs in the table with those of {@code rows}. */
  static void fill(BenchmarkDatabase database, OrderedRows rows) throws SQLException {
    database.execute(
        qualified("TRUNCATE @jobs"),
        qualified("INSERT INTO @jobs (id, ordering_key, payload) SELECT n, 'key ' || n % ")
            + rows.keys()
            + ", jsonb_build_object('n', n, 'text', repeat('x', 80)) FROM generate_series(1, "
            + rows.jobs()
            + ") AS n",
        qualified("VACUUM (ANALYZE) @jobs"));
    database.checkpoint();
  }

  /** A claimed job. */
  record Claimed(long id, String key, String payload) {}

  /** Claims up to {@code limit} jobs. The caller's transaction holds the locks on their rows. */
  static List<Claimed> claim(Connection transaction, int limit) throws SQLException {
    List<Claimed> claimed = new ArrayList<>();
    try (PreparedStatement statement = transaction.prepareStatement(CLAIM)) {
      statement.setInt(1, limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          claimed.add(new Claimed(rows.getLong(1), rows.getString(2), rows.getString(3)));
        }
      }
    }
    return claimed;
  }

  /**
   * Tries to lock the keys of the jobs for the caller's transaction, and returns the jobs whose
   * keys it locked.
   */
  static List<Claimed> lock(Connection transaction, List<Claimed> claimed) throws SQLException {
    Set<String> keys =
        claimed.stream().map(Claimed::key).collect(Collectors.toCollection(LinkedHashSet::new));
    Set<String> locked = new HashSet<>();
    try (PreparedStatement statement = transaction.prepareStatement(LOCK)) {
      statement.setArray(1, transaction.createArrayOf("text", keys.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          locked.add(rows.getString(1));
        }
      }
    }
    return claimed.stream().filter(job -> locked.contains(job.key())).toList();
  }

  /** Marks the jobs as done; the caller commits. */
  static void complete(Connection transaction, List<Claimed> jobs) throws SQLException {
    try (PreparedStatement statement = transaction.prepareStatement(COMPLETE)) {
      statement.setArray(
          1, transaction.createArrayOf("int8", jobs.stream().map(Claimed::id).toArray()));
      statement.executeUpdate();
    }
  }

  /**
   * Claims, runs and completes a batch in one transaction, and commits.
   *
   * @param handler receives the number of each job that runs
   * @return the number of jobs that ran
   */
  static int runBatch(Connection connection, int limit, LongConsumer handler)
      throws SQLException, JsonProcessingException {
    List<Claimed> claimed = claim(connection, limit);
    List<Claimed> locked = claimed.isEmpty() ? claimed : lock(connection, claimed);
    for (Claimed job : locked) {
      handler.accept(JSON.readValue(job.payload(), Noop.class).n());
    }
    if (!locked.isEmpty()) {
      complete(connection, locked);
    }
    connection.commit();
    return locked.size();
  }

  private static String qualified(String sql) {
    return BenchmarkDatabase.qualified(SCHEMA, sql);
  }
}
