package dev.skipjack.dashboard;

import dev.skipjack.dashboard.Charts.Span;
import dev.skipjack.dashboard.Charts.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The charts of all queues or of one, and their numbers as a table. */
final class MinutesScreen implements Screen<MinutesScreen.Model> {

  /**
   * @param queue the queue; null for all
   * @param last how far the numbers reach back
   * @param charts the numbers
   */
  record Model(@Nullable String queue, String last, Panel<Charts> charts) {}

  static final String PATH = "/minutes";

  @Override
  public Nav nav() {
    return Nav.NOW;
  }

  @Override
  public int reloadSeconds() {
    return 15;
  }

  @Override
  public String title(Model model) {
    return model.queue() == null ? "Minutes" : "Minutes of " + model.queue();
  }

  @Override
  public Model read(Visit visit) {
    String name = visit.request().parameter("name").orElse("");
    String queue = name.isEmpty() ? null : QueueScreen.required(name, visit);
    Span span = Span.of(visit.request());
    return new Model(queue, span.value(), Charts.start(visit, span, queue).panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    Span span = Span.of(visit.request());
    return Html.all(
        ChartCard.of(
            model.charts(), span.label(), ChartCard.spans(span, page(model.queue(), visit)), visit),
        Ui.card(
            "Numbers",
            Html.NOTHING,
            Ui.content(model.charts(), charts -> table(charts, visit.times()))));
  }

  /** Returns the address of this page for a queue, or for all. */
  static Link page(@Nullable String queue, Visit visit) {
    Link page = visit.link(PATH);
    return queue == null ? page : page.with("name", queue);
  }

  private static Node table(Charts charts, Times clock) {
    List<Step> newestFirst = new ArrayList<>(charts.steps());
    Collections.reverse(newestFirst);
    Node table =
        Table.of(newestFirst)
            .scrolled("Numbers")
            .column("From", step -> clock.minute(step.from()))
            .number("Completed", step -> number(step.completed()))
            .number("Failed", step -> number(step.failed()))
            .number("Dead", step -> number(step.dead()))
            .number("Cancelled", step -> number(step.cancelled()))
            .number("Snoozed", step -> number(step.snoozed()))
            .number("Lost", step -> number(step.lost()))
            .number("Wait 50 %", step -> span(step.waitMedian()))
            .number("Wait 95 %", step -> span(step.wait95()))
            .number("Run 50 %", step -> span(step.runMedian()))
            .number("Run 95 %", step -> span(step.run95()))
            .number("Pending", step -> number(step.pending()))
            .number("Running", step -> number(step.running()))
            .number("Dead jobs", step -> number(step.deadJobs()));
    return Html.div("dense").add(table);
  }

  private static Node number(@Nullable Long number) {
    return number == null ? Ui.orDash(null) : new Amount(number, false).node();
  }

  private static Node span(@Nullable Duration duration) {
    return Ui.orDash(duration == null ? null : Times.span(duration));
  }
}
