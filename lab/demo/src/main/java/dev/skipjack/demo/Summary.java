package dev.skipjack.demo;

import static org.jooq.impl.DSL.val;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jooq.Record;

/**
 * The content of the demo's final report.
 *
 * @param numbers the numbers, one column each
 * @param took the time from the first send until no job was left
 * @param checks the checks of the whole database
 */
record Summary(Record numbers, Duration took, List<Verification.Check> checks) {

  /** The names of the columns are those of the report as JSON. */
  private static final String NUMBERS =
      """
      SELECT j.*, r.*, e.*
        FROM (SELECT count(*) AS enqueued,
                     count(*) FILTER (WHERE a.status = 'completed') AS completed,
                     count(*) FILTER (WHERE a.status = 'completed' AND a.attempts > 1) AS retried,
                     count(*) FILTER (WHERE j.status = 'dead') AS dead,
                     coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY p.millis), 0) AS pickup_p50_ms,
                     coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY p.millis), 0) AS pickup_p99_ms
                FROM skipjack_demo.deliveries d
                LEFT JOIN skipjack.jobs j ON j.id = d.job_id
                LEFT JOIN skipjack.jobs_archive a ON a.id = d.job_id
                LEFT JOIN skipjack.job_executions x ON x.job_id = d.job_id AND x.attempt = 1
               CROSS JOIN LATERAL (
                     SELECT 1000.0 * extract(epoch FROM x.started_at - coalesce(j.created_at, a.created_at)))
                  AS p (millis)
               WHERE d.received_at >= {0}) AS j,
             (SELECT count(*) AS duplicates,
                     count(*) FILTER (WHERE refused_by = 'unique_key') AS refused_by_key,
                     count(*) FILTER (WHERE refused_by = 'table') AS refused_by_table
                FROM skipjack_demo.refused_sends
               WHERE refused_at >= {0}) AS r,
             (SELECT (SELECT count(*) FROM skipjack.jobs_archive
                       WHERE kind = 'webhook.received' AND finished_at >= {1})
                   + (SELECT count(*) FROM skipjack.jobs
                       WHERE kind = 'webhook.received' AND died_at >= {1}) AS ended) AS e""";

  Summary {
    checks = List.copyOf(checks);
  }

  /**
   * Reads the numbers.
   *
   * @param from the time from which received deliveries count
   * @param begin the time from which ended jobs count, by the database's clock
   */
  static Record numbers(DataSource dataSource, Instant from, Instant begin) {
    return DemoDatabase.on(dataSource).fetchSingle(NUMBERS, val(from), val(begin));
  }

  boolean verified() {
    return checks.stream().allMatch(Verification.Check::holds);
  }

  long number(String column) {
    return numbers.get(column, long.class);
  }

  private double seconds() {
    return Math.max(took.toNanos() / 1e9, 1e-3);
  }

  private double jobsPerSecond() {
    return number("ended") / seconds();
  }

  /** Prints the report as text. */
  void print(PrintWriter out) {
    out.println();
    row(out, "enqueued", number("enqueued"), "deliveries stored, each with its job");
    row(
        out,
        "already queued",
        number("duplicates"),
        "second sends refused by the job's unique key: %,d, by the table's key: %,d",
        number("refused_by_key"),
        number("refused_by_table"));
    row(out, "completed", number("completed"), "with their effect, in one transaction");
    row(out, "retried", number("retried"), "completed after more than one attempt");
    row(out, "dead", number("dead"), "each attempt failed, until the handler gave up");
    row(
        out,
        "jobs/s",
        Math.round(jobsPerSecond()),
        "%,d ended in %.1f s",
        number("ended"),
        seconds());
    row(out, "pickup p50", number("pickup_p50_ms"), "ms from enqueue to first attempt");
    row(out, "pickup p99", number("pickup_p99_ms"), "ms");
    out.printf("%nVerification of the whole database:%n");
    for (Verification.Check check : checks) {
      if (check.holds()) {
        out.printf("  ok      %s%n", check.name());
      } else {
        out.printf(
            Locale.ROOT,
            "  FAILED  %s (%,d violations; first: %s)%n",
            check.name(),
            check.violations(),
            check.example());
      }
    }
    out.printf("%n%s%n", verified() ? "Verified." : "Verification FAILED.");
    out.flush();
  }

  private static void row(
      PrintWriter out, String name, long number, String remark, Object... arguments) {
    String text = String.format(Locale.ROOT, remark, arguments);
    out.printf(Locale.ROOT, "  %-15s %,12d   %s%n", name, number, text);
  }

  /** Returns the report for programs, on one line. */
  String json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    for (var column : numbers.fields()) {
      json.put(column.getName(), rounded(numbers.get(column, double.class)));
    }
    json.put("jobs_per_second", rounded(jobsPerSecond()));
    json.put("seconds", rounded(seconds()));
    json.put("verified", verified());
    var list = json.putArray("checks");
    for (Verification.Check check : checks) {
      list.addObject()
          .put("name", check.name())
          .put("ok", check.holds())
          .put("violations", check.violations())
          .put("example", check.example());
    }
    return json.toString();
  }

  private static BigDecimal rounded(double number) {
    BigDecimal rounded = BigDecimal.valueOf(number).setScale(3, RoundingMode.HALF_UP);
    return number == Math.rint(number) ? rounded.setScale(0) : rounded;
  }
}
