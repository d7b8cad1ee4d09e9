package dev.skipjack.demo;

import static org.jooq.impl.DSL.val;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * The demo's final report.
 *
 * @param numbers the numbers, one column each
 * @param checks the checks of the whole database
 */
record Report(Record numbers, List<Verification.Check> checks) {

  /** The columns have the names of the JSON report and the order of the text report. */
  private static final String NUMBERS =
      Verification.FACTS
          + """
      , refused AS (SELECT refused_by FROM skipjack_demo.refused_sends WHERE refused_at >= {0}),
           ended AS (SELECT count(*) AS n FROM all_jobs WHERE ended_at >= {1})
      SELECT count(*) AS enqueued,
             (SELECT count(*) FROM refused) AS duplicates,
             (SELECT count(*) FROM refused WHERE refused_by = 'unique_key') AS refused_by_key,
             (SELECT count(*) FROM refused WHERE refused_by = 'table') AS refused_by_table,
             count(*) FILTER (WHERE archived = 'completed') AS completed,
             count(*) FILTER (WHERE archived = 'completed' AND attempts > 1) AS retried,
             count(*) FILTER (WHERE live = 'dead') AS dead,
             (SELECT round(n / {2}, 3) FROM ended) AS jobs_per_second,
             (SELECT n FROM ended) AS ended,
             {2} AS seconds,
             round(coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY pickup_ms), 0)::numeric, 3) AS pickup_p50_ms,
             round(coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY pickup_ms), 0)::numeric, 3) AS pickup_p99_ms
        FROM facts
       WHERE received_at >= {0}""";

  Report {
    checks = List.copyOf(checks);
  }

  /**
   * Reads the numbers.
   *
   * @param from the time from which received deliveries count
   * @param begin the time from which ended jobs count, by the database's clock
   * @param seconds the time from the first send until no job was left
   */
  static Record numbers(DataSource pool, Instant from, Instant begin, double seconds) {
    BigDecimal rounded =
        BigDecimal.valueOf(Math.max(seconds, 1e-3)).setScale(3, RoundingMode.HALF_UP);
    return DemoDatabase.on(pool).fetchSingle(NUMBERS, val(from), val(begin), val(rounded));
  }

  boolean verified() {
    return checks.stream().allMatch(Verification.Check::holds);
  }

  String text() {
    List<@Nullable Object> values = new ArrayList<>(Arrays.asList(numbers.intoArray()));
    values.add(checks.stream().map(Verification.Check::text).collect(Collectors.joining("\n")));
    values.add(verified() ? "Verified." : "Verification FAILED.");
    return String.format(
        Locale.ROOT,
        """

        enqueued        %,12d   deliveries stored, each with its job
        already queued  %,12d   second sends refused by the job's unique key: %,d, by the table's key: %,d
        completed       %,12d   with their effect, in one transaction
        retried         %,12d   completed after more than one attempt
        dead            %,12d   each attempt failed, until the handler gave up
        jobs/s          %,12.0f   %,d ended in %.1f s
        pickup p50      %,12.0f   ms from enqueue to first attempt
        pickup p99      %,12.0f   ms

      Verification of the whole database:
      %s

      %s""",
        values.toArray());
  }

  String json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    for (var column : numbers.fields()) {
      json.put(column.getName(), numbers.get(column, BigDecimal.class));
    }
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
}
