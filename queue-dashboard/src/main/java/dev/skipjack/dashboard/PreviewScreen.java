package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import java.util.Objects;

/** The preview of a change of many jobs, and the form that starts it. */
final class PreviewScreen implements Screen<PreviewScreen.Model> {

  /** The number of jobs above which the user has to type it. */
  static final long MANY = 1_000;

  /**
   * @param filter the jobs, with absolute times, so that the change means the same as the preview
   * @param preview what the change would do; missing if it could not be counted
   */
  record Model(OperationAction action, String filter, Panel<OperationPreview> preview) {}

  @Override
  public Nav nav() {
    return Nav.JOBS;
  }

  @Override
  public String title(Model model) {
    return OperationsScreen.verb(model.action()) + " jobs?";
  }

  @Override
  public Model read(Visit visit) {
    OperationAction action = action(visit.request().parameter("action").orElse(""));
    OperationChanges.require(action, visit);
    JobQuery query = Filters.ofChange(visit.request().parameter("q").orElse(""), visit);
    JobQuery restricted = action.restrict(query.firstPage());
    return new Model(
        action, FilterText.of(restricted), visit.reads().preview(action, restricted).panel());
  }

  static OperationAction action(String literal) {
    try {
      OperationAction action = OperationAction.of(literal);
      if (action != OperationAction.EDIT) {
        return action;
      }
    } catch (IllegalArgumentException unknown) {
      // refused below
    }
    throw Refusal.badInput("There is no such change.");
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.problem(model.preview(), visit),
        Ui.content(model.preview(), preview -> content(model, preview, visit)));
  }

  private static Node content(Model model, OperationPreview preview, Visit visit) {
    return Html.all(
        Html.tag("section")
            .style("card preview")
            .add(
                Html.tag("p")
                    .style("sentence")
                    .add(sentence(preview))
                    .add(
                        Html.tag(
                            "code", model.filter().isEmpty() ? "all live jobs" : model.filter()))
                    .add("."),
                Html.tag("p").style("faint").add(consequence(model.action())),
                preview.jobs() == 0 ? Html.NOTHING : form(model, preview, visit),
                Html.tag("p")
                    .add(
                        Ui.link(
                            visit.link("/jobs").with("q", model.filter()), "Back to these jobs"))),
        preview.sample().isEmpty()
            ? Html.NOTHING
            : Ui.card(
                "For example",
                Html.NOTHING,
                Table.of(preview.sample())
                    .column("Job", "grow", job -> Ui.kindAndId(job, visit))
                    .column("Status", job -> Ui.badge(job.status()))
                    .column("Queue", job -> Ui.queue(job.queue(), visit))
                    .number("Attempts", Ui::attempts)
                    .column("Last error", "wide", job -> Ui.error(job.lastError()))));
  }

  private static String sentence(OperationPreview preview) {
    if (preview.jobs() == 0) {
      return "No job can be changed: none matches ";
    }
    String number = (preview.atLeast() ? "At least " : "") + Amount.text(preview.jobs());
    return "%s %s ".formatted(number, preview.jobs() == 1 ? "job matches" : "jobs match");
  }

  private static String consequence(OperationAction action) {
    String what =
        switch (action) {
          case REDRIVE ->
              "They become pending and due, with fresh attempts. Those whose unique key another job"
                  + " has taken stay dead.";
          case RUN_NOW -> "They become due now.";
          case CANCEL ->
              "They are archived as cancelled. The workers of running ones are asked to stop them."
                  + " Dead ones are not changed.";
          case PRUNE -> "They are deleted permanently.";
          case EDIT -> "";
        };
    return what + " Jobs that are enqueued after this preview are not changed.";
  }

  private static Node form(Model model, OperationPreview preview, Visit visit) {
    Form form =
        visit
            .form("/operations")
            .target(
                OperationChanges.target(
                    model.action(),
                    model.filter(),
                    preview,
                    Objects.requireNonNullElse(model.preview().asOf(), visit.now())))
            .style("fields");
    if (needsCount(model.action(), preview.jobs())) {
      form.add(
          Html.tag("label")
              .add("Type %d to confirm".formatted(preview.jobs()))
              .add(
                  Html.tag("input")
                      .set("name", "count")
                      .set("inputmode", "numeric")
                      .set("autocomplete", "off")
                      .flag("required", true)));
    }
    String verb = OperationsScreen.verb(model.action());
    boolean deletes =
        model.action() == OperationAction.PRUNE || model.action() == OperationAction.CANCEL;
    String what =
        preview.atLeast()
            ? "all of these jobs"
            : Amount.text(preview.jobs()) + (preview.jobs() == 1 ? " job" : " jobs");
    return form.reason().button(verb + " " + what, deletes ? "danger solid" : "primary");
  }

  static boolean needsCount(OperationAction action, long jobs) {
    return action == OperationAction.PRUNE || jobs > MANY;
  }
}
