package dev.skipjack.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/** The report for programs, on one line. */
final class JsonReport {

  private JsonReport() {}

  /**
   * @param error the reason why the input was not read completely; empty if it was
   */
  static String of(Summary summary, Optional<String> error) {
    Summary.Numbers numbers = summary.numbers();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("enqueued", numbers.enqueued());
    json.put("duplicates", numbers.duplicates());
    json.putObject("duplicates_by")
        .put(DeliverySender.BY_KEY, numbers.refusedByKey())
        .put(DeliverySender.BY_TABLE, numbers.refusedByTable())
        .put("already_received", numbers.alreadyReceived());
    json.put("completed", numbers.completed());
    json.put("retried", numbers.retried());
    json.put("dead", numbers.dead());
    json.put("jobs_per_second", rounded(summary.jobsPerSecond(), 1));
    json.put("pickup_p50_ms", rounded(numbers.pickupP50Millis(), 3));
    json.put("pickup_p99_ms", rounded(numbers.pickupP99Millis(), 3));
    json.put("ended", numbers.endedHere());
    json.put("seconds", rounded(summary.seconds().toNanos() / 1e9, 3));
    json.put("verified", summary.verified());
    var checks = json.putArray("checks");
    for (Check check : summary.checks()) {
      checks
          .addObject()
          .put("name", check.name())
          .put("ok", check.holds())
          .put("violations", check.violations())
          .put("example", check.example());
    }
    error.ifPresent(reason -> json.put("error", reason));
    return json.toString();
  }

  private static BigDecimal rounded(double number, int digits) {
    return BigDecimal.valueOf(number).setScale(digits, RoundingMode.HALF_UP);
  }
}
