package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobOperation;
import java.util.Optional;

/** One change of many jobs, while it runs and afterwards. */
final class OperationScreen implements Screen<OperationScreen.Model> {

  /**
   * @param runsHere whether this process runs it
   */
  record Model(OperationsScreen.Row operation, boolean runsHere) {}

  @Override
  public Nav nav() {
    return Nav.OPERATIONS;
  }

  @Override
  public int reloadSeconds() {
    return 1;
  }

  @Override
  public String title(Model model) {
    return OperationsScreen.verb(model.operation().action()) + " jobs";
  }

  @Override
  public Model read(Visit visit) {
    OperationsScreen.Row operation = required(visit);
    return new Model(operation, visit.services().runner().isRunning(operation.id()));
  }

  /** Returns the operation that the path names, if the visitor may see it. */
  static OperationsScreen.Row required(Visit visit) {
    Panel<Optional<OperationsScreen.Row>> panel = visit.reads().operation(visit.number()).panel();
    if (panel.isMissing()) {
      throw new Refusal(503, "The operation could not be read. " + panel.problem());
    }
    return panel
        .or(Optional.empty())
        .orElseThrow(
            () -> Refusal.notFound("There is no such operation, or you may not see its queue."));
  }

  @Override
  public Node render(Model model, Visit visit) {
    OperationsScreen.Row row = model.operation();
    return Html.all(
        Html.div("toolbar")
            .add(
                Html.div("job-head")
                    .add(
                        OperationsScreen.state(row.state()),
                        Html.span("faint").add("started by"),
                        Html.span("strong").add(row.actor()),
                        visit.times().ago(row.createdAt())),
                Html.div("actions").add(actions(model, visit))),
        model.operation().state() == JobOperation.State.RUNNING && !model.runsHere()
            ? Html.tag("p")
                .style("problem")
                .add(
                    "Another process runs the operation. If that process ends, a worker continues"
                        + " it about 2 minutes after the last batch.")
            : Html.NOTHING,
        Html.div("tiles")
            .add(
                Ui.tile(null, "Changed", Html.text(Amount.text(row.done())), Html.text("jobs"), ""),
                Ui.tile(
                    null,
                    "Skipped",
                    Html.text(Amount.text(row.skipped())),
                    Html.text("could not be changed"),
                    row.skipped() == 0 ? "" : "warn"),
                Ui.tile(
                    null,
                    "Locked",
                    Html.text(Amount.text(row.failed())),
                    Html.text("by other transactions"),
                    row.failed() == 0 ? "" : "warn")),
        Ui.card(
            "Details",
            Html.NOTHING,
            Ui.facts()
                .add("Jobs", Ui.mono(row.filter().isEmpty() ? "all live jobs" : row.filter()))
                .addIf(row.patches(), "Payloads", Html.text("were changed by a patch"))
                .addIf(row.lastReason() != null, "Last reason", Ui.orDash(row.lastReason()))
                .add("Last batch", visit.times().ago(row.updatedAt()))
                .addIf(row.finishedAt() != null, "Finished", visit.times().ago(row.finishedAt()))));
  }

  private static Node actions(Model model, Visit visit) {
    if (!visit.may(OperationChanges.needed(model.operation().action()))) {
      return Html.NOTHING;
    }
    String path = "/operations/" + model.operation().id();
    return switch (model.operation().state()) {
      case RUNNING ->
          Html.all(
              visit.form(path + "/stop").button("Stop", "danger", "Stop after the current batch"),
              model.runsHere()
                  ? Html.NOTHING
                  : visit.form(path + "/continue").button("Continue here", ""));
      case STOPPED -> visit.form(path + "/continue").button("Continue", "primary");
      case FINISHED -> Html.NOTHING;
    };
  }
}
