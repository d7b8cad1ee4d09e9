package dev.skipjack.dashboard;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The workers. */
final class WorkersScreen implements Screen<WorkersScreen.Model> {

  private static final int MOST = 500;
  private static final int MOST_KINDS = 8;

  record Model(Panel<List<Row>> workers) {}

  /**
   * @param running how many of the longest running jobs it runs
   * @param slots how many jobs it can run at a time; 0 if it has not reported that
   */
  record Row(
      String name,
      UUID bootId,
      @Nullable String host,
      @Nullable Long pid,
      @Nullable String version,
      boolean isAlive,
      List<String> queues,
      List<String> kinds,
      long running,
      int slots,
      Instant startedAt,
      Instant seenAt,
      Duration silentFor) {}

  @Override
  public Nav nav() {
    return Nav.WORKERS;
  }

  @Override
  public int reloadSeconds() {
    return 5;
  }

  @Override
  public String title(Model model) {
    return "Workers";
  }

  @Override
  public Model read(Visit visit) {
    var jobs = visit.reads().running();
    Panel<List<ServingWorker>> workers = visit.reads().workers().panel();
    Map<String, Long> busy =
        jobs.panel().or(List.of()).stream()
            .collect(
                Collectors.groupingBy(
                    running -> String.valueOf(running.job().worker()), Collectors.counting()));
    return new Model(workers.map(all -> all.stream().map(worker -> row(worker, busy)).toList()));
  }

  private static Row row(ServingWorker worker, Map<String, Long> busy) {
    return new Row(
        worker.name(),
        worker.bootId(),
        worker.host(),
        worker.pid(),
        worker.version(),
        worker.isAlive(),
        worker.queues(),
        worker.kinds(),
        busy.getOrDefault(new WorkerId(worker.name(), worker.bootId()).toString(), 0L),
        worker.totalSlots(),
        worker.startedAt(),
        worker.seenAt(),
        worker.silentFor());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Ui.panel(
        "Workers of the last day",
        model.workers(),
        visit,
        Html.NOTHING,
        rows ->
            rows.isEmpty()
                ? Ui.empty(
                    "No worker was seen within the last day.",
                    "Jobs wait until a worker starts that serves their queue.")
                : Table.of(rows.stream().limit(MOST).toList())
                    .rowStyle(row -> row.isAlive() ? "" : "is-paused")
                    .column("Worker", "grow", WorkersScreen::name)
                    .column("Slots", "wide", WorkersScreen::slots)
                    .column("Queues", row -> queues(row, visit))
                    .column("Kinds", "wide", WorkersScreen::kinds)
                    .column("Version", row -> Ui.orDash(row.version()))
                    .number("Started", row -> visit.times().ago(row.startedAt()))
                    .number("Seen", row -> Html.text(Times.span(row.silentFor().abs()) + " ago")));
  }

  private static Node name(Row row) {
    return Html.div("two")
        .add(
            Html.span("with-badge")
                .add(
                    Html.span("strong").add(row.name()),
                    row.isAlive() ? Html.NOTHING : Ui.badge("silent", "st-dead")),
            Html.span("mono faint")
                .add(
                    row.host() == null
                        ? ""
                        : row.pid() == null ? row.host() : row.host() + ":" + row.pid()));
  }

  private static Node slots(Row row) {
    if (row.slots() == 0) {
      return Html.text("" + row.running());
    }
    String text = "%d of %d".formatted(row.running(), row.slots());
    return Html.div("meter")
        .add(
            Html.span("meter-text").add(text),
            Ui.bar((double) row.running() / row.slots(), "running", text + " slots are taken"));
  }

  private static Node queues(Row row, Visit visit) {
    return Html.tag("span")
        .add(
            row.queues().stream()
                .map(queue -> Html.span("tag").add(Ui.queue(queue, visit)))
                .toList());
  }

  private static Node kinds(Row row) {
    int more = row.kinds().size() - MOST_KINDS;
    return Html.tag("span")
        .set("title", String.join(", ", row.kinds()))
        .add(
            String.join(", ", row.kinds().stream().limit(MOST_KINDS).toList())
                + (more > 0 ? " and %d more".formatted(more) : ""));
  }
}
