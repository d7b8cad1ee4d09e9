package dev.skipjack.dashboard;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.Rate;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The limits, and how much of them is in use. */
final class LimitsScreen implements Screen<LimitsScreen.Model> {

  static final String PATH = "/limits";

  private static final int MOST_COUNTED = 10_000;

  record Model(Panel<List<Row>> limits) {}

  /**
   * @param queues the visible queues that obey it
   * @param running the number of its running jobs; null if some are in queues that are hidden
   */
  record Row(
      String name, Limit limit, List<String> queues, @Nullable Integer running, Instant updatedAt) {

    static Row of(LimitState state, Predicate<String> isVisible) {
      List<String> visible = state.queues().stream().filter(isVisible).toList();
      return new Row(
          state.name(),
          state.limit(),
          visible,
          visible.size() == state.queues().size() ? (Integer) state.running() : null,
          state.updatedAt());
    }
  }

  @Override
  public Nav nav() {
    return Nav.HELD;
  }

  @Override
  public String title(Model model) {
    return "Limits";
  }

  @Override
  public Model read(Visit visit) {
    return new Model(visit.reads().limits().panel());
  }

  /** Whether a visitor may change limits, which affect all queues that obey them. */
  private static boolean mayChange(Visit visit) {
    return visit.may(Role.ADMIN) && visit.access().seesEverything();
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.panel(
            "Limits",
            model.limits(),
            visit,
            Ui.link(visit.link(HeldScreen.PATH), "What is held"),
            rows ->
                rows.isEmpty()
                    ? Ui.empty(
                        "No limits.",
                        "A limit bounds how many jobs of its queues run at the same time, and how"
                            + " often they start.")
                    : Html.all(rows.stream().map(row -> limit(row, visit)).toList())),
        mayChange(visit)
            ? Ui.card("New limit", Html.NOTHING, LimitForm.of(null, visit))
            : Html.NOTHING);
  }

  private static Node limit(Row row, Visit visit) {
    Limit limit = row.limit();
    Node facts =
        Ui.facts()
            .add("Running", running(row))
            .addIf(
                limit.maxRunningPerGroup().isPresent(),
                "Of each group",
                Html.text("at most " + number(limit.maxRunningPerGroup())))
            .add("Starts", Html.text(limit.rate().map(LimitsScreen::words).orElse("at any rate")))
            .add("Queues", queues(row, visit))
            .add("Changed", visit.times().ago(row.updatedAt()));
    return Html.tag("section")
        .style("limit")
        .add(
            Html.tag("h3").style("mono").add(row.name()),
            facts,
            mayChange(visit) ? actions(row, visit) : Html.NOTHING);
  }

  private static Node running(Row row) {
    Integer running = row.running();
    String now =
        running == null
            ? "hidden"
            : (running >= MOST_COUNTED ? "≥ " : "") + Amount.text(running.longValue());
    OptionalInt most = row.limit().maxRunning();
    return Html.text(most.isPresent() ? now + " of " + number(most) : now + ", without a maximum");
  }

  private static String number(OptionalInt number) {
    return number.isPresent() ? Amount.text(number.getAsInt()) : "";
  }

  private static String words(Rate rate) {
    String kind =
        switch (rate.kind()) {
          case BUCKET -> ", %s at once after a pause".formatted(Amount.text(rate.burst()));
          case SLIDING -> ", in any such time";
          case FIXED -> ", counted in fixed windows";
        };
    return "%s in %s%s%s"
        .formatted(
            Amount.text(rate.count()),
            Times.span(rate.period()),
            kind,
            rate.isPerGroup() ? ", for each group" : "");
  }

  private static Node queues(Row row, Visit visit) {
    if (row.queues().isEmpty()) {
      return Html.span("faint").add("none; it has no effect");
    }
    return Html.all(
        row.queues().stream()
            .map(
                queue ->
                    Html.tag("p")
                        .add(
                            Ui.queue(queue, visit),
                            Html.text(" ("),
                            Ui.link(GroupsScreen.page(queue, visit), "groups"),
                            Html.text(")")))
            .toList());
  }

  private static Node actions(Row row, Visit visit) {
    return Html.all(
        Html.div("actions")
            .add(
                row.limit().rate().isPresent()
                    ? visit
                        .form("/limits/reset")
                        .target(row.name())
                        .button("Reset the rate", "small", "Forget the starts so far and throttles")
                    : Html.NOTHING,
                row.queues().isEmpty()
                    ? visit.form("/limits/remove").target(row.name()).button("Remove", "small")
                    : Html.NOTHING),
        Html.tag("details").add(Html.tag("summary", "Change the limit"), LimitForm.of(row, visit)));
  }
}
