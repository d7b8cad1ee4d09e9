package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Draws the overview so that it fits the screen. */
final class StatsScreen {

  private static final int FIXED_LINES = 5;
  private static final int MOST_WARNINGS = 6;
  private static final String ROW = "%-{name}s %-7s %8s %8s %8s %8s %7s %7s %7s %3s";
  private static final int WITHOUT_NAME = 72;
  private static final int LEAST_NAME = 7;
  private static final int LONGEST_NAME = 40;

  private final Style style;

  StatsScreen(Style style) {
    this.style = style;
  }

  /**
   * Returns the lines of the screen.
   *
   * @param title the text of the first line
   */
  List<String> draw(String title, Overview overview, Rates rates, Terminal.Size size) {
    List<String> warnings = overview.warnings();
    int shownWarnings = Math.min(warnings.size(), MOST_WARNINGS);
    int room = Math.max(1, size.height() - FIXED_LINES - shownWarnings);
    int name = Math.max(LEAST_NAME, Math.min(LONGEST_NAME, size.width() - WITHOUT_NAME));
    String row = ROW.replace("{name}", String.valueOf(name));

    List<String> lines = new ArrayList<>();
    lines.add(style.heading(cut(title, size)));
    lines.add("");
    lines.add(
        style.heading(
            cut(
                row.formatted(
                    "QUEUE", "STATE", "PENDING", "OLDEST", "RUNNING", "WAITING", "DEAD", "IN/S",
                    "OUT/S", "WRK"),
                size)));
    List<QueueOverview> queues = overview.queues();
    int shown = queues.size() <= room ? queues.size() : room - 1;
    for (QueueOverview queue : queues.subList(0, shown)) {
      lines.add(coloured(queue, cut(line(row, name, queue, rates), size)));
    }
    if (shown < queues.size()) {
      lines.add(cut("... and %d more queues".formatted(queues.size() - shown), size));
    }
    lines.add("");
    lines.add(style.heading(cut(overview.summary(), size)));
    for (String warning : warnings.subList(0, shownWarnings)) {
      lines.add(style.warning(cut("! " + warning, size)));
    }
    return lines;
  }

  private static String line(String row, int name, QueueOverview queue, Rates rates) {
    Duration waited = queue.waited();
    String shortName =
        queue.name().length() <= name ? queue.name() : queue.name().substring(0, name - 1) + "~";
    return row.formatted(
        shortName,
        queue.isPaused() ? "paused" : "active",
        count(queue, JobStatus.PENDING),
        waited == null ? "-" : Cell.duration(waited),
        count(queue, JobStatus.RUNNING),
        count(queue, JobStatus.WAITING),
        count(queue, JobStatus.DEAD),
        rates.in(queue),
        rates.out(queue),
        queue.workers().size());
  }

  private static String count(QueueOverview queue, JobStatus status) {
    long jobs = queue.count(status);
    if (jobs < 1_000_000) {
      return String.valueOf(jobs);
    }
    return "%.1fM".formatted(jobs / 1e6);
  }

  private String coloured(QueueOverview queue, String line) {
    return queue.isPaused() || (queue.workers().isEmpty() && queue.waited() != null)
        ? style.warning(line)
        : line;
  }

  private static String cut(String line, Terminal.Size size) {
    return line.length() <= size.width() ? line : line.substring(0, size.width());
  }
}
