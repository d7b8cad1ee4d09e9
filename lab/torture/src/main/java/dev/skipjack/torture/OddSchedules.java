package dev.skipjack.torture;

import dev.skipjack.api.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/**
 * Odd schedules: rows with an odd time, number, text, array or document in one column, and
 * schedules whose functions throw or hang. No worker serves their queue.
 */
final class OddSchedules {

  /** The queue of the jobs of odd schedules. */
  static final String QUEUE = "odd";

  /** The prefix of the names of odd schedules. */
  static final String PREFIX = "odd-";

  /** Deletes all but the newest rows, because each may enqueue a job every second. */
  private static final String CLEAN_UP =
      "DELETE FROM @jobs WHERE queue = '%1$s'; DELETE FROM @job_schedules WHERE name LIKE '%2$srow-%%' AND name NOT IN"
              .formatted(QUEUE, PREFIX)
          + " (SELECT name FROM @job_schedules WHERE name LIKE '%srow-%%' ORDER BY split_part(name, '-', 3)::bigint DESC LIMIT 40)"
              .formatted(PREFIX);

  private static final List<String> TIMES =
      List.of(
          "'infinity'",
          "'-infinity'",
          "'4713-01-01 00:00:00+00 BC'",
          "'294276-12-31 00:00:00+00'",
          "'10000-01-01 00:00:00+00'",
          "'1969-12-31 23:59:59+00'",
          "NULL");

  private OddSchedules() {}

  static OddRows.Source rows() {
    Map<String, String> usual = new LinkedHashMap<>();
    usual.put(
        "name", "'%srow-' || floor(extract(epoch FROM clock_timestamp()) * 1e6)".formatted(PREFIX));
    usual.put("due_at", "date_trunc('second', clock_timestamp())");
    usual.put("next_at", "date_trunc('second', clock_timestamp())");
    usual.put("interval_seconds", "1");
    usual.put("queue", "'" + QUEUE + "'");
    usual.put("kind", "'odd'");
    usual.put("payload", "'{}'");
    usual.put("origin", "'operator'");
    Map<String, List<String>> odd = new LinkedHashMap<>();
    for (String time :
        List.of(
            "due_at",
            "next_at",
            "last_at",
            "requested_at",
            "paused_at",
            "declared_at",
            "timing_changed_at",
            "failed_at",
            "created_at",
            "updated_at")) {
      odd.put(time, TIMES);
    }
    odd.put(
        "except_dates",
        List.of(
            "'{NULL}'",
            "'{infinity}'",
            "'{{2020-01-01},{2020-01-02}}'",
            "'{5874897-12-31}'",
            "array_fill(date '2020-01-01', ARRAY[20000])"));
    odd.put("tags", List.of("'{NULL}'", "'{{a},{b}}'", "array_fill('x'::text, ARRAY[1000])"));
    odd.put("interval_seconds", List.of("0", "9223372036854775807", "NULL"));
    odd.put("jitter_ms", List.of("-1", "9223372036854775807"));
    odd.put("missed_maximum", List.of("0", "10000"));
    odd.put("last_job_id", List.of("-1", "0", "9223372036854775807"));
    odd.put("zone", List.of("''", "'Mars/Olympus'", "repeat('z', 1000000)"));
    odd.put("zone_rules", List.of("''", "repeat('z', 1000000)"));
    odd.put(
        "payload",
        List.of("'null'", "'[]'", "to_jsonb(repeat('x', 40000000))", "'{\"a\": 1e1000}'", "NULL"));
    odd.put("payload_version", List.of("-2147483648", "2147483647"));
    odd.put("priority", List.of("-32768", "32767"));
    odd.put("max_attempts", List.of("0", "2147483647"));
    odd.put("description", List.of("''", "repeat('d', 1000000)"));
    odd.put("declaration", List.of("''", "repeat('d', 1000000)"));
    odd.put("last_error", List.of("chr(155)", "repeat('e', 1000000)"));
    odd.put("failures", List.of("-1", "2147483647"));
    odd.put("in_code", List.of("true"));
    odd.put("origin", List.of("'code'", "'x'"));
    odd.put("authoritative", List.of("true"));
    return new OddRows.Source("@job_schedules", usual, odd, CLEAN_UP);
  }

  /** Returns schedules whose functions misbehave every second. */
  static List<Schedule> functions() {
    List<Schedule> schedules = new ArrayList<>();
    Map<String, Function<Instant, Work>> functions = new LinkedHashMap<>();
    functions.put("exception", fire -> OddSchedules.raise(new Exception("planned")));
    functions.put("error", fire -> OddSchedules.raise(new AssertionError("planned")));
    functions.put("memory", fire -> OddSchedules.raise(new OutOfMemoryError("planned")));
    functions.put("throwable", fire -> OddSchedules.raise(new Throwable("planned")));
    functions.put("interrupt", OddSchedules::interrupt);
    functions.put("hang", OddSchedules::hang);
    functions.put("stubborn", OddSchedules::hangUninterruptibly);
    functions.forEach(
        (name, function) ->
            schedules.add(
                Schedule.every(Duration.ofSeconds(1))
                    .named(PREFIX + name)
                    .enqueueFrom(Work.type(Workload.SCHEDULED), function)));
    return schedules;
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> Work raise(Throwable failure) throws E {
    throw (E) failure; // as code in other languages may do
  }

  private static Work interrupt(Instant fire) {
    Thread.currentThread().interrupt();
    throw new IllegalStateException("planned");
  }

  private static Work hang(Instant fire) {
    try {
      new CountDownLatch(1).await();
      throw new IllegalStateException("impossible");
    } catch (InterruptedException stopped) {
      throw new IllegalStateException("planned", stopped);
    }
  }

  private static Work hangUninterruptibly(Instant fire) {
    while (true) {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException ignored) {
        Thread.onSpinWait();
      }
    }
  }
}
