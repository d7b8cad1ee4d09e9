package dev.skipjack.demo;

import static org.jooq.impl.DSL.val;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Reads all data of all runs in the database and checks that nothing was lost or done twice. */
final class Verification {

  /**
   * A condition that must hold at the end, and its result.
   *
   * @param name a sentence that states the condition
   * @param violations the number of violations
   * @param example one of the violations; null if there is none
   */
  record Check(String name, long violations, @Nullable String example) {

    boolean holds() {
      return violations == 0;
    }
  }

  private record Rule(String name, String sql) {}

  /** One row for each delivery. */
  private static final String FACTS =
      """
      SELECT d.delivery, d.fate, live.status AS live, archived.status AS archived,
             coalesce(live.attempts, archived.attempts, 0) AS attempts,
             coalesce(audit.n, 0) AS audited, coalesce(effect.n, 0) AS effects
        FROM skipjack_demo.deliveries d
        LEFT JOIN skipjack.jobs live ON live.id = d.job_id
        LEFT JOIN skipjack.jobs_archive archived ON archived.id = d.job_id
        LEFT JOIN (SELECT job_id, count(*) AS n FROM skipjack.job_executions
                    WHERE kind = 'webhook.received' GROUP BY job_id) audit
               ON audit.job_id = d.job_id
        LEFT JOIN (SELECT delivery, count(*) AS n FROM skipjack_demo.effects GROUP BY delivery) effect
               ON effect.delivery = d.delivery""";

  /** Conditions on each row of {@link #FACTS}. A condition that is null does not hold. */
  private static final List<Rule> OF_EACH_DELIVERY =
      List.of(
          new Rule("every delivery has exactly one job", "(live IS NULL) <> (archived IS NULL)"),
          new Rule("every job is completed or dead", "live = 'dead' OR archived = 'completed'"),
          new Rule(
              "every delivery whose job did not die has exactly one effect",
              "live = 'dead' OR effects = 1"),
          new Rule(
              "no delivery whose job died has an effect",
              "live IS DISTINCT FROM 'dead' OR effects = 0"),
          new Rule(
              "the dead jobs are exactly the poisoned ones",
              "(live IS NOT DISTINCT FROM 'dead') = (fate = 'POISONED')"),
          new Rule(
              "every job that fails once was tried again", "fate <> 'FAILS_ONCE' OR attempts >= 2"),
          new Rule("attempts equal audit rows", "attempts = audited"));

  /** Queries for rows that belong to no delivery. */
  private static final List<Rule> OF_OTHER_ROWS =
      List.of(
          new Rule(
              "no job is without its delivery",
              """
              SELECT 'job ' || id
                FROM (SELECT id, kind FROM skipjack.jobs
                      UNION ALL SELECT id, kind FROM skipjack.jobs_archive) job
               WHERE kind = 'webhook.received'
                 AND NOT EXISTS (SELECT FROM skipjack_demo.deliveries d WHERE d.job_id = job.id)"""),
          new Rule(
              "no effect is without its delivery",
              """
              SELECT 'effect of delivery ' || e.delivery
                FROM skipjack_demo.effects e
               WHERE NOT EXISTS (SELECT FROM skipjack_demo.deliveries d
                                  WHERE d.delivery = e.delivery AND d.job_id = e.job_id)"""),
          new Rule(
              "no refused send is without its delivery",
              """
              SELECT 'refused send of delivery ' || r.delivery
                FROM skipjack_demo.refused_sends r
               WHERE NOT EXISTS (SELECT FROM skipjack_demo.deliveries d
                                  WHERE d.delivery = r.delivery)"""),
          new Rule(
              "no audit row is open or without its job",
              """
              SELECT 'execution ' || e.id
                FROM skipjack.job_executions e
               WHERE e.kind = 'webhook.received'
                 AND (e.status = 'running'
                      OR NOT EXISTS (SELECT FROM skipjack.jobs j WHERE j.id = e.job_id)
                     AND NOT EXISTS (SELECT FROM skipjack.jobs_archive a WHERE a.id = e.job_id))"""));

  private Verification() {}

  /**
   * Runs all checks on one snapshot of the database.
   *
   * @param begin the time at which this run began, by the database's clock
   * @param sends the number of sends of this run
   * @throws SQLException if the database cannot be read
   */
  static List<Check> run(DataSource dataSource, Instant begin, long sends) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      List<Check> checks = on(connection, begin, sends);
      connection.rollback();
      return checks;
    }
  }

  /** Runs all checks in the current transaction of {@code connection}. */
  static List<Check> on(Connection connection, Instant begin, long sends) {
    DSLContext db = DemoDatabase.on(connection);
    List<Check> checks = new ArrayList<>(ofEachDelivery(db));
    for (Rule rule : OF_OTHER_ROWS) {
      Record found =
          db.fetchSingle("SELECT count(*), min(what) FROM (" + rule.sql() + ") AS found (what)");
      checks.add(new Check(rule.name(), found.get(0, long.class), found.get(1, String.class)));
    }
    long accounted =
        db.fetchSingle(
                """
                SELECT (SELECT count(*) FROM skipjack_demo.deliveries WHERE received_at >= {0})
                     + (SELECT count(*) FROM skipjack_demo.refused_sends WHERE refused_at >= {0})""",
                val(begin))
            .get(0, long.class);
    checks.add(
        new Check(
            "every send was either stored or refused",
            Math.abs(sends - accounted),
            sends == accounted ? null : "%d sends, %d rows".formatted(sends, accounted)));
    return List.copyOf(checks);
  }

  /** Evaluates all rules in one pass over the deliveries. */
  private static List<Check> ofEachDelivery(DSLContext db) {
    String counts =
        OF_EACH_DELIVERY.stream()
            .map(Rule::sql)
            .map(
                holds ->
                    "count(*) FILTER (WHERE (%1$s) IS NOT TRUE), min(delivery::text) FILTER (WHERE (%1$s) IS NOT TRUE)"
                        .formatted(holds))
            .collect(Collectors.joining(", "));
    Record found = db.fetchSingle("SELECT " + counts + " FROM (" + FACTS + ") AS facts");
    List<Check> checks = new ArrayList<>();
    for (int n = 0; n < OF_EACH_DELIVERY.size(); n++) {
      String example = found.get(2 * n + 1, String.class);
      checks.add(
          new Check(
              OF_EACH_DELIVERY.get(n).name(),
              found.get(2 * n, long.class),
              example == null ? null : "delivery " + example));
    }
    return checks;
  }
}
