package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.OperationAction;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that operators have made, with their actors and, for changes of many jobs, their
 * results.
 */
final class OperationsScreen implements Screen<OperationsScreen.Model> {

  /**
   * @param operations changes of many jobs
   * @param changes single changes
   */
  record Model(Panel<List<Row>> operations, Panel<List<JobChange>> changes) {}

  /**
   * @param filter the jobs, without values that the visitor may not see
   * @param patches whether payloads were changed
   */
  record Row(
      long id,
      String actor,
      OperationAction action,
      String filter,
      boolean patches,
      long done,
      long skipped,
      long failed,
      @Nullable String lastReason,
      JobOperation.State state,
      Instant createdAt,
      Instant updatedAt,
      @Nullable Instant finishedAt) {

    static Row of(JobOperation operation, String filter, Redaction redaction) {
      return new Row(
          operation.id(),
          Ui.cut(operation.actor(), VisibleReads.LONGEST_TEXT),
          operation.action(),
          Ui.cut(filter, VisibleReads.LONGEST_TEXT),
          operation.payloadPatch() != null,
          operation.done(),
          operation.skipped(),
          operation.failed(),
          redaction.message(operation.lastReason()),
          operation.state(),
          operation.createdAt(),
          operation.updatedAt(),
          operation.finishedAt());
    }
  }

  @Override
  public Nav nav() {
    return Nav.OPERATIONS;
  }

  @Override
  public int reloadSeconds() {
    return 5;
  }

  @Override
  public String title(Model model) {
    return "Done by people";
  }

  @Override
  public Model read(Visit visit) {
    var operations = visit.reads().operations();
    var changes = visit.reads().changes();
    return new Model(operations.panel(), changes.panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(operations(model, visit), changes(model, visit));
  }

  private static Node operations(Model model, Visit visit) {
    return Ui.panel(
        "Changes of many jobs",
        model.operations(),
        visit,
        Html.text(
            model.operations().or(List.of()).size() < Reads.ROWS ? "" : "The latest " + Reads.ROWS),
        rows ->
            rows.isEmpty()
                ? Ui.empty(
                    "Nothing was changed in bulk.",
                    "To redrive, cancel or prune many jobs, filter them in the list of jobs.")
                : Table.of(rows)
                    .column("Change", "grow", row -> change(row, visit))
                    .column("By", row -> Html.text(row.actor()))
                    .column("State", row -> state(row.state()))
                    .number("Changed", row -> Html.text(Amount.text(row.done())))
                    .number("Skipped", row -> Html.text(Amount.text(row.skipped())))
                    .number("Locked", row -> Html.text(Amount.text(row.failed())))
                    .number("Started", row -> visit.times().ago(row.createdAt())));
  }

  private static Node changes(Model model, Visit visit) {
    return Ui.panel(
        "Single changes",
        model.changes(),
        visit,
        Html.text(
            model.changes().or(List.of()).size() < Reads.ROWS ? "" : "The latest " + Reads.ROWS),
        rows ->
            rows.isEmpty()
                ? Ui.empty(
                    "No single change.",
                    "Changes of a job, a queue, a schedule or an event appear here.")
                : Table.of(rows)
                    .column("Change", "grow", row -> change(row, visit))
                    .column("Queue", row -> queue(row, visit))
                    .column("By", row -> Html.text(row.actor()))
                    .column("Reason", row -> Ui.orDash(row.reason()))
                    .number("When", row -> visit.times().ago(row.changedAt())));
  }

  private static Node change(JobChange row, Visit visit) {
    boolean isJob =
        row.queue() != null
            && !row.target().equals(row.queue())
            && row.target().matches("[0-9]{1,18}");
    return Html.div("two")
        .add(
            Html.span("strong").add(row.action().replace('_', ' ')),
            isJob
                ? Ui.job(new JobId(Long.parseLong(row.target())), visit)
                : Html.span("mono faint").add(row.target()));
  }

  private static Node queue(JobChange row, Visit visit) {
    return row.queue() == null ? Html.span("faint").add("–") : Ui.queue(row.queue(), visit);
  }

  static Node state(JobOperation.State state) {
    return Ui.badge(
        state.literal(),
        switch (state) {
          case RUNNING -> "st-running";
          case STOPPED -> "st-waiting";
          case FINISHED -> "st-completed";
        });
  }

  private static Node change(Row row, Visit visit) {
    return Html.div("two")
        .add(
            Html.tag("a")
                .style("strong")
                .to("href", visit.link("/operations/" + row.id()))
                .add(verb(row.action())),
            Html.span("mono faint").add(row.filter().isEmpty() ? "all live jobs" : row.filter()));
  }

  static String verb(OperationAction action) {
    return switch (action) {
      case REDRIVE -> "Redrive";
      case RUN_NOW -> "Run now";
      case CANCEL -> "Cancel";
      case PRUNE -> "Prune";
      case EDIT -> "Edit payloads";
    };
  }
}
