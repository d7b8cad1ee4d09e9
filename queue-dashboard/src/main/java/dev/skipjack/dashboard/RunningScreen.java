package dev.skipjack.dashboard;

import java.util.List;

/** The running jobs, longest first. */
final class RunningScreen implements Screen<RunningScreen.Model> {

  record Model(Panel<List<RunningRow>> jobs) {}

  @Override
  public Nav nav() {
    return Nav.RUNNING;
  }

  @Override
  public int reloadSeconds() {
    return 3;
  }

  @Override
  public String title(Model model) {
    return "Running";
  }

  @Override
  public Model read(Visit visit) {
    return new Model(visit.reads().running().panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    List<RunningRow> jobs = model.jobs().or(List.of());
    double longest = jobs.stream().mapToDouble(row -> Json.seconds(row.runsFor())).max().orElse(1);
    return Ui.panel(
        "Longest first",
        model.jobs(),
        visit,
        Html.span("faint")
            .add(
                (jobs.size() < Reads.ROWS ? "" : "The longest " + Reads.ROWS + ". ")
                    + "Stacks are sampled after a minute"),
        rows ->
            rows.isEmpty()
                ? Ui.empty("Nothing runs.", "Jobs appear here while a worker runs them.")
                : Table.of(rows)
                    .column("Job", "grow", row -> Ui.kindAndId(row.job(), visit))
                    .column("Queue", row -> Ui.queue(row.job().queue(), visit))
                    .column("Worker", row -> worker(row))
                    .number("Attempt", row -> Ui.attempts(row.job()))
                    .column("Runs for", "wide", row -> span(row, longest))
                    .column("Handler is in", "grow", row -> place(row, visit)));
  }

  private static Node place(RunningRow row, Visit visit) {
    return row.stack() == null ? Html.NOTHING : StackView.brief(row.stack(), visit);
  }

  private static Node worker(RunningRow row) {
    String host = row.host();
    return Html.div("two")
        .add(
            Html.tag("span", String.valueOf(row.job().worker())),
            Html.span("mono faint")
                .add(host == null ? "" : row.pid() == null ? host : host + ":" + row.pid()));
  }

  private static Node span(RunningRow row, double longest) {
    String text = Times.span(row.runsFor());
    return Html.div("meter")
        .add(
            Html.span("meter-text").add(text),
            Ui.bar(Json.seconds(row.runsFor()) / Math.max(1, longest), "running", text));
  }
}
