package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The schedules. */
final class SchedulesScreen implements Screen<SchedulesScreen.Model> {

  private static final int NEXT_SHOWN = 3;

  /**
   * @param schedules the schedules
   * @param next the schedule after which the next page begins; null if there is none
   */
  record Model(Panel<List<Row>> schedules, @Nullable String next) {}

  /**
   * @param when when it fires, in words
   * @param expression when it fires, as it is stored
   * @param failure why it could not be fired or read; null if it could
   */
  record Row(
      String name,
      String when,
      String expression,
      String queue,
      String kind,
      @Nullable String description,
      ScheduleOrigin origin,
      boolean isUndeclared,
      boolean isChanged,
      @Nullable Instant pausedAt,
      List<Instant> nextFires,
      @Nullable Instant lastFire,
      @Nullable JobId lastJob,
      @Nullable JobStatus lastStatus,
      @Nullable String failure) {

    static Row of(ScheduleState state, Redaction redaction) {
      Timing timing = state.timing();
      ScheduleState.Failure failure = state.failure();
      return new Row(
          state.name(),
          timing == null ? "unreadable" : ScheduleWords.of(timing),
          timing == null ? "" : timing.toString(),
          state.queue(),
          state.kind(),
          state.description(),
          state.origin(),
          state.isUndeclared(),
          state.isChangedAtRunTime(),
          state.pausedAt(),
          state.nextFires(),
          state.lastFire(),
          state.lastJob(),
          state.lastStatus(),
          redaction.message(
              state.unreadable() != null || failure == null
                  ? state.unreadable()
                  : failure.error()));
    }
  }

  @Override
  public Nav nav() {
    return Nav.SCHEDULES;
  }

  @Override
  public int reloadSeconds() {
    return 10;
  }

  @Override
  public String title(Model model) {
    return "Schedules";
  }

  @Override
  public Model read(Visit visit) {
    Panel<VisibleReads.SchedulePage> page =
        visit.reads().schedules(visit.request().parameter("after").orElse(""));
    VisibleReads.SchedulePage read = page.value();
    return new Model(
        page.map(VisibleReads.SchedulePage::schedules), read == null ? null : read.next());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.panel(
            "Schedules",
            model.schedules(),
            visit,
            Html.NOTHING,
            rows ->
                rows.isEmpty()
                    ? Ui.empty(
                        "No schedules.",
                        "Schedules appear here when a worker declares them or an operator adds"
                            + " one.")
                    : table(rows, visit)),
        model.next() == null
            ? Html.NOTHING
            : Html.tag("p")
                .style("pager")
                .add(
                    Ui.buttonLink(
                        visit.link("/schedules").with("after", model.next()), "Next page", "")));
  }

  private static Node table(List<Row> rows, Visit visit) {
    return Table.of(rows)
        .rowStyle(row -> row.pausedAt() == null ? "" : "is-paused")
        .column("Schedule", "grow", SchedulesScreen::name)
        .column("Fires", "wide", SchedulesScreen::when)
        .column("Enqueues", row -> target(row, visit))
        .number("Next", row -> next(row, visit))
        .column("Last", row -> last(row, visit))
        .column("Actions", "actions", row -> actions(row, visit));
  }

  private static Node name(Row row) {
    List<Node> badges = new ArrayList<>();
    if (row.pausedAt() != null) {
      badges.add(Ui.badge("paused", "st-waiting"));
    }
    if (row.isUndeclared()) {
      badges.add(Ui.badge("no longer declared", "st-waiting"));
    }
    if (row.isChanged() && row.pausedAt() == null) {
      badges.add(Ui.badge("changed by an operator", "st-cancelled"));
    }
    return Html.div("two")
        .add(
            Html.span("with-badge").add(Html.span("strong").add(row.name())).add(badges),
            Html.span("faint").add(row.description() == null ? "" : row.description()),
            row.failure() == null ? Html.NOTHING : Html.span("bad").add(row.failure()));
  }

  private static Node when(Row row) {
    return Html.tag("span").set("title", row.expression()).add(row.when());
  }

  private static Node target(Row row, Visit visit) {
    return Html.div("two")
        .add(Html.tag("span", row.kind()), Html.span("faint").add(Ui.queue(row.queue(), visit)));
  }

  private static Node next(Row row, Visit visit) {
    if (row.pausedAt() != null || row.nextFires().isEmpty()) {
      return Html.span("faint").add("–");
    }
    String more =
        String.join(
            "\n", row.nextFires().stream().skip(1).limit(NEXT_SHOWN).map(Times::utc).toList());
    return Html.tag("span")
        .set("title", "Then:\n" + more)
        .add(visit.times().ago(row.nextFires().get(0)));
  }

  private static Node last(Row row, Visit visit) {
    JobId job = row.lastJob();
    JobStatus status = row.lastStatus();
    return Html.div("two")
        .add(
            visit.times().ago(row.lastFire()),
            job == null
                ? Html.NOTHING
                : Html.span("with-badge")
                    .add(status == null ? Html.NOTHING : Ui.badge(status), Ui.job(job, visit)));
  }

  private static Node actions(Row row, Visit visit) {
    if (!visit.may(Role.OPERATOR)) {
      return Html.NOTHING;
    }
    return Html.all(
        visit
            .form("/schedules/fire")
            .target(row.name())
            .button("Fire now", "small", "Enqueue a job now; the planned times do not change"),
        row.pausedAt() == null
            ? visit.form("/schedules/pause").target(row.name()).button("Pause", "small")
            : visit.form("/schedules/resume").target(row.name()).button("Resume", "small"));
  }
}
