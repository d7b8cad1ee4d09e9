package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job's life as one bar: how long it waited before each attempt, and how long the attempts ran.
 * Lengths are proportional to the square root of the times, so that an attempt of seconds stays
 * visible beside a wait of hours.
 */
final class Timeline {

  private static final double WIDTH = 1_000;
  private static final int HEIGHT = 18;
  private static final double NARROWEST = 3;
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private Timeline() {}

  private record Part(String style, String title, Duration length) {
    double weight() {
      return Math.sqrt(Math.max(0, Json.seconds(length)));
    }
  }

  static Node of(JobScreen.Model model, Visit visit) {
    JobSummary job = model.job();
    List<Part> parts = job == null ? List.of() : parts(job, model.attempts(), visit.now());
    double total = parts.stream().mapToDouble(Part::weight).sum();
    if (total == 0) {
      return Html.NOTHING;
    }
    Element chart =
        Html.tag("svg")
            .set("viewBox", "0 0 1000 " + HEIGHT)
            .set("preserveAspectRatio", "none")
            .style("timeline")
            .set("role", "img")
            .set("aria-label", description(parts));
    double available = WIDTH - NARROWEST * parts.size();
    double x = 0;
    for (Part part : parts) {
      double width = NARROWEST + part.weight() / total * available;
      chart.add(Html.tag("g").add(Html.tag("title", part.title()), rect(part.style(), x, width)));
      x += width;
    }
    return Html.div("timeline-box").add(chart, legend());
  }

  private static Node rect(String style, double x, double width) {
    boolean wait = style.equals("tl-wait");
    return Html.tag("rect")
        .style(style)
        .set("x", number(x))
        .set("y", wait ? HEIGHT / 2 - 2 : 0)
        .set("width", number(Math.max(1, width - 1)))
        .set("height", wait ? 4 : HEIGHT)
        .set("rx", wait ? 2 : 3);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static Node legend() {
    return Html.tag("p")
        .style("legend")
        .set("aria-hidden", "true")
        .add(
            Html.span("key tl-wait").add("waited"),
            Html.span("key tl-ok").add("ran"),
            Html.span("key tl-bad").add("failed"));
  }

  private static List<Part> parts(JobSummary job, List<JobExecution> attempts, Instant now) {
    List<Part> parts = new ArrayList<>();
    Instant at = job.createdAt();
    for (JobExecution attempt : attempts) {
      wait(parts, at, attempt.startedAt());
      Instant finished = attempt.finishedAt() == null ? now : attempt.finishedAt();
      Duration ran = Duration.between(attempt.startedAt(), finished);
      parts.add(
          new Part(
              style(attempt),
              "Attempt %d %s, %s"
                  .formatted(attempt.attempt(), attempt.status().literal(), Times.span(ran)),
              ran));
      at = finished;
    }
    @Nullable Instant end = job.finishedAt() == null ? job.diedAt() : job.finishedAt();
    if (attempts.stream().noneMatch(attempt -> attempt.finishedAt() == null)) {
      wait(parts, at, end == null ? now : end);
    }
    return parts;
  }

  private static void wait(List<Part> parts, Instant from, Instant to) {
    Duration waited = Duration.between(from, to);
    if (waited.compareTo(SHORTEST) >= 0) {
      parts.add(new Part("tl-wait", "Waited " + Times.span(waited), waited));
    }
  }

  private static String style(JobExecution attempt) {
    return switch (attempt.status()) {
      case RUNNING -> "tl-running";
      case SUCCEEDED -> "tl-ok";
      case FAILED, DEAD, LOST -> "tl-bad";
      case CANCELLED, RELEASED, SNOOZED -> "tl-calm";
    };
  }

  private static String description(List<Part> parts) {
    return Ui.cut(String.join("; ", parts.stream().map(Part::title).toList()), 500);
  }
}
