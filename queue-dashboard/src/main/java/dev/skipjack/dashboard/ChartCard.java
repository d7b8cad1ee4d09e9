package dev.skipjack.dashboard;

import dev.skipjack.dashboard.Charts.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The charts of all queues or of one: throughput, waits, run times and depth. */
final class ChartCard {

  private ChartCard() {}

  static Node of(Panel<Charts> charts, String heading, Node aside, Visit visit) {
    return Html.tag("section")
        .style("charts-card")
        .set("aria-label", heading)
        .add(
            Html.div("charts-head").add(Html.tag("h2", heading), Html.div("aside").add(aside)),
            Ui.problem(charts, visit),
            Ui.content(charts, known -> plots(known, visit)));
  }

  private static Node plots(Charts charts, Visit visit) {
    if (charts.isEmpty()) {
      return Html.tag("div")
          .style("card")
          .add(
              Ui.empty(
                  "No numbers yet.",
                  "Workers report once a minute what they did. The numbers are kept for 2 days."));
    }
    return Html.div("charts")
        .add(
            throughput(charts, visit.times()),
            durations(
                "wait", "Wait before the start", charts, Step::waitMedian, Step::wait95, visit),
            durations("run", "Run time", charts, Step::runMedian, Step::run95, visit),
            depth(charts, visit.times()));
  }

  private static List<Instant> times(Charts charts) {
    return charts.steps().stream().map(Step::from).toList();
  }

  private static double[] values(Charts charts, ToDoubleFunction<Step> value) {
    return charts.steps().stream().mapToDouble(value).toArray();
  }

  private static Node throughput(Charts charts, Times clock) {
    double minutes = charts.step().toMinutes();
    double[] completed = values(charts, step -> step.completed() / minutes);
    double[] failed = values(charts, step -> step.failed() / minutes);
    double[] dead = values(charts, step -> step.dead() / minutes);
    double[] both = values(charts, step -> (step.completed() + step.failed()) / minutes);
    double highest =
        charts.steps().stream().mapToDouble(step -> step.ended() / minutes).max().orElse(0);
    long last = Math.round(charts.steps().get(charts.steps().size() - 1).ended() / minutes);
    long all = charts.steps().stream().mapToLong(Step::ended).sum();
    long bad = charts.steps().stream().mapToLong(step -> step.failed() + step.dead()).sum();
    return Plot.ofNumbers("chart-throughput", "Throughput", times(charts), highest)
        .bars("c-done", "completed", new double[completed.length], completed)
        .bars("c-failed", "failed", completed, failed)
        .bars("c-dead", "dead", both, dead)
        .end(
            Amount.text(last),
            "attempts/min",
            "%s attempts ended, of which %s failed. At most %s per minute."
                .formatted(Amount.text(all), Amount.text(bad), Amount.text(Math.round(highest))),
            hints(
                charts,
                step ->
                    "%s completed, %s failed, %s dead"
                        .formatted(
                            Amount.text(step.completed()),
                            Amount.text(step.failed()),
                            Amount.text(step.dead()))),
            clock);
  }

  private static Node durations(
      String id,
      String name,
      Charts charts,
      Function<Step, @Nullable Duration> median,
      Function<Step, @Nullable Duration> most,
      Visit visit) {
    Duration longest =
        charts.steps().stream()
            .map(most)
            .filter(Objects::nonNull)
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration last = most.apply(charts.steps().get(charts.steps().size() - 1));
    return Plot.ofDurations("chart-" + id, name, times(charts), longest)
        .line("c-most", "95 %", millis(charts, most))
        .line("c-median", "median", millis(charts, median))
        .end(
            last == null ? "–" : Times.span(last),
            "95 %",
            "In the slowest interval, 95 %% took at most %s.".formatted(Times.span(longest)),
            hints(
                charts,
                step ->
                    most.apply(step) == null
                        ? "none"
                        : "median %s, 95 %% %s".formatted(text(median, step), text(most, step))),
            visit.times());
  }

  private static String text(Function<Step, @Nullable Duration> value, Step step) {
    Duration known = value.apply(step);
    return known == null ? "–" : Times.span(known);
  }

  private static @Nullable Double[] millis(
      Charts charts, Function<Step, @Nullable Duration> value) {
    return charts.steps().stream()
        .map(value)
        .map(known -> known == null ? null : known.toNanos() / 1e6)
        .toArray(Double[]::new);
  }

  private static Node depth(Charts charts, Times clock) {
    @Nullable Double[] pending =
        charts.steps().stream()
            .map(Step::pending)
            .map(number -> number == null ? null : number.doubleValue())
            .toArray(Double[]::new);
    long highest =
        charts.steps().stream()
            .map(Step::pending)
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    Long last = charts.steps().get(charts.steps().size() - 1).pending();
    return Plot.ofNumbers("chart-depth", "Depth", times(charts), (double) highest)
        .area("c-depth", "pending", pending)
        .end(
            last == null ? "–" : Amount.text(last),
            "pending jobs",
            "At most %s jobs were pending.".formatted(Amount.text(highest)),
            hints(
                charts,
                step ->
                    step.pending() == null
                        ? "not counted"
                        : Amount.text(step.pending()) + " pending"),
            clock);
  }

  private static List<String> hints(Charts charts, Function<Step, String> text) {
    return charts.steps().stream()
        .map(step -> Times.minuteText(step.from()) + " UTC: " + text.apply(step))
        .toList();
  }

  /** The links to other spans of time, and to the table. */
  static Node spans(Charts.Span current, Link page) {
    Element tabs = Html.tag("nav").style("spans").set("aria-label", "Time span");
    for (Charts.Span span : Charts.Span.values()) {
      tabs.add(
          Html.tag("a")
              .to("href", page.with("last", span.value()))
              .set("aria-current", span == current ? "page" : null)
              .add(span.value()));
    }
    return tabs;
  }
}
