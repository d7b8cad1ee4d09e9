package dev.skipjack.demo;

import static org.jooq.impl.DSL.val;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    String text() {
      return holds()
          ? "  ok      " + name
          : String.format(
              Locale.ROOT, "  FAILED  %s (%,d violations; first: %s)", name, violations, example);
    }
  }

  /**
   * The jobs of the demo, and one row for each delivery. These are not views, because views would
   * keep later migrations from changing the queue's tables.
   */
  static final String FACTS =
      """
      WITH all_jobs AS (
        SELECT id, died_at AS ended_at FROM skipjack.jobs WHERE kind = 'webhook.received'
        UNION ALL
        SELECT id, finished_at FROM skipjack.jobs_archive WHERE kind = 'webhook.received'
      ), facts AS (
        SELECT d.delivery, d.received_at, d.fate, live.status AS live, archived.status AS archived,
               coalesce(live.attempts, archived.attempts, 0) AS attempts,
               coalesce(audit.n, 0) AS audited, coalesce(effect.n, 0) AS effects,
               1000 * extract(epoch FROM audit.began - coalesce(live.created_at, archived.created_at)) AS pickup_ms
          FROM skipjack_demo.deliveries d
          LEFT JOIN skipjack.jobs live ON live.id = d.job_id
          LEFT JOIN skipjack.jobs_archive archived ON archived.id = d.job_id
          LEFT JOIN (SELECT job_id, count(*) AS n, min(started_at) AS began FROM skipjack.job_executions
                      WHERE kind = 'webhook.received' GROUP BY job_id) audit ON audit.job_id = d.job_id
          LEFT JOIN (SELECT delivery, count(*) AS n FROM skipjack_demo.effects
                      GROUP BY delivery) effect ON effect.delivery = d.delivery
      )
      """;

  /** A condition, and the query whose rows describe the violations. */
  private record Rule(String name, String violations) {}

  private static final List<Rule> RULES =
      List.of(
          each("every delivery has exactly one job", "(live IS NULL) <> (archived IS NULL)"),
          each("every job is completed or dead", "live = 'dead' OR archived = 'completed'"),
          each(
              "every delivery whose job did not die has exactly one effect",
              "live = 'dead' OR effects = 1"),
          each(
              "no delivery whose job died has an effect",
              "live IS DISTINCT FROM 'dead' OR effects = 0"),
          each(
              "the dead jobs are exactly the poisoned ones",
              "(live IS NOT DISTINCT FROM 'dead') = (fate = 'POISONED')"),
          each(
              "every job that fails once was tried again", "fate <> 'FAILS_ONCE' OR attempts >= 2"),
          each("attempts equal audit rows", "attempts = audited"),
          new Rule(
              "no job is without its delivery",
              """
              SELECT 'job ' || id FROM all_jobs
               WHERE id NOT IN (SELECT job_id FROM skipjack_demo.deliveries)"""),
          new Rule(
              "no effect is without its delivery",
              """
              SELECT 'effect of delivery ' || delivery FROM skipjack_demo.effects
               WHERE (delivery, job_id) NOT IN (SELECT delivery, job_id FROM skipjack_demo.deliveries)"""),
          new Rule(
              "no refused send is without its delivery",
              """
              SELECT 'refused send of delivery ' || delivery FROM skipjack_demo.refused_sends
               WHERE delivery NOT IN (SELECT delivery FROM skipjack_demo.deliveries)"""),
          new Rule(
              "no audit row is open or without its job",
              """
              SELECT 'execution ' || id FROM skipjack.job_executions
               WHERE kind = 'webhook.received'
                 AND (status = 'running' OR job_id NOT IN (SELECT id FROM all_jobs))"""));

  private Verification() {}

  /** Returns a rule for each delivery. A condition that is null does not hold. */
  private static Rule each(String name, String condition) {
    return new Rule(
        name,
        "SELECT 'delivery ' || delivery FROM facts WHERE (%s) IS NOT TRUE".formatted(condition));
  }

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
    List<Check> checks = new ArrayList<>();
    for (Rule rule : RULES) {
      Record found =
          db.fetchSingle(
              FACTS + "SELECT count(*), min(what) FROM (" + rule.violations() + ") AS v (what)");
      checks.add(new Check(rule.name(), found.get(0, long.class), found.get(1, String.class)));
    }
    long rows =
        db.fetchSingle(
                """
                SELECT (SELECT count(*) FROM skipjack_demo.deliveries WHERE received_at >= {0})
                     + (SELECT count(*) FROM skipjack_demo.refused_sends WHERE refused_at >= {0})""",
                val(begin))
            .get(0, long.class);
    String example = sends == rows ? null : "%d sends, %d rows".formatted(sends, rows);
    checks.add(
        new Check("every send was either stored or refused", Math.abs(sends - rows), example));
    return List.copyOf(checks);
  }
}
