package dev.skipjack.demo;

import java.io.PrintWriter;
import java.util.Locale;

/** The report as text. */
final class TextReport {

  private TextReport() {}

  static void print(Summary summary, PrintWriter out) {
    Summary.Numbers numbers = summary.numbers();
    out.println();
    row(out, "enqueued", count(numbers.enqueued()), "deliveries stored, each with its job");
    row(out, "already queued", count(numbers.duplicates()), duplicates(numbers));
    row(out, "completed", count(numbers.completed()), "with their effect, in one transaction");
    row(out, "retried", count(numbers.retried()), "completed after more than one attempt");
    row(out, "dead", count(numbers.dead()), "each attempt failed, until the handler gave up");
    row(
        out,
        "jobs/s",
        String.format(Locale.ROOT, "%,.0f", summary.jobsPerSecond()),
        String.format(
            Locale.ROOT,
            "%,d ended in %.1f s",
            numbers.endedHere(),
            summary.seconds().toMillis() / 1e3));
    row(out, "pickup p50", millis(numbers.pickupP50Millis()), "from enqueue to first attempt");
    row(out, "pickup p99", millis(numbers.pickupP99Millis()), "");
    out.println();
    out.println("Verification of the whole database:");
    for (Check check : summary.checks()) {
      out.printf(
          Locale.ROOT,
          "  %-6s  %s%s%n",
          check.holds() ? "ok" : "FAILED",
          check.name(),
          check.holds()
              ? ""
              : String.format(
                  Locale.ROOT, " (%,d times not; first: %s)", check.violations(), check.example()));
    }
    out.println();
    out.println(summary.verified() ? "Verified." : "Verification FAILED.");
    out.flush();
  }

  private static String duplicates(Summary.Numbers numbers) {
    String known =
        numbers.alreadyReceived() == 0
            ? ""
            : String.format(Locale.ROOT, ", received before: %,d", numbers.alreadyReceived());
    return String.format(
        Locale.ROOT,
        "second sends refused by the job's unique key: %,d, by the table's key: %,d%s",
        numbers.refusedByKey(),
        numbers.refusedByTable(),
        known);
  }

  private static void row(PrintWriter out, String name, String value, String remark) {
    out.println(
        String.format(Locale.ROOT, "  %-15s %12s   %s", name, value, remark).stripTrailing());
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%,.1f ms", millis);
  }
}
