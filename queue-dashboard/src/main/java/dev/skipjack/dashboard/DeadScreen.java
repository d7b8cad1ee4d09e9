package dev.skipjack.dashboard;

import java.util.List;

/** The dead jobs, by error. */
final class DeadScreen implements Screen<DeadScreen.Model> {

  private static final int MOST = 200;

  record Model(Panel<List<DeadRow>> groups) {}

  @Override
  public Nav nav() {
    return Nav.DEAD;
  }

  @Override
  public int reloadSeconds() {
    return 5;
  }

  @Override
  public String title(Model model) {
    return "Dead letters";
  }

  @Override
  public Model read(Visit visit) {
    return new Model(visit.reads().deadLetters().panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Ui.panel(
        "By error",
        model.groups(),
        visit,
        Ui.link(visit.link("/jobs").with("q", "status:dead"), "All dead jobs"),
        groups ->
            groups.isEmpty()
                ? Ui.empty(
                    "No dead jobs.",
                    "A job whose attempts are used up appears here, until it is redriven or"
                        + " pruned.")
                : Html.all(
                    Table.of(groups.stream().limit(MOST).toList())
                        .column("Error", "grow", group -> error(group, visit))
                        .number("Jobs", DeadScreen::number)
                        .number("First", group -> visit.times().ago(group.firstDiedAt()))
                        .number("Last", group -> visit.times().ago(group.lastDiedAt()))
                        .column("Actions", "actions", group -> actions(group, visit)),
                    groups.size() > MOST
                        ? Html.tag("p")
                            .style("remark")
                            .add("The %d largest of %d groups.".formatted(MOST, groups.size()))
                        : Html.NOTHING));
  }

  static Node error(DeadRow group, Visit visit) {
    Node text =
        group.error().isEmpty()
            ? Html.span("faint").add("No error message")
            : Html.text(group.error());
    return Html.div("two")
        .add(
            Html.tag("a")
                .style("error-text")
                .to("href", visit.link("/jobs").with("q", group.filter()))
                .add(text),
            Html.span("faint")
                .add(
                    Html.span("mono").add(simple(group)),
                    Html.text(group.kind() + " in "),
                    Ui.queue(group.queue(), visit),
                    Html.text(" · such as "),
                    Ui.job(group.example(), visit)));
  }

  private static String simple(DeadRow group) {
    String name = group.errorClass();
    return name == null ? "" : name.substring(name.lastIndexOf('.') + 1) + " · ";
  }

  static Node number(DeadRow group) {
    return group.atLeast()
        ? Html.span("")
            .set("title", "Only the newest 10,000 are read.")
            .add("≥ " + Amount.text(group.jobs()))
        : Html.text(Amount.text(group.jobs()));
  }

  /** A filter without the error would change the jobs with other errors too. */
  private static Node actions(DeadRow group, Visit visit) {
    if (!group.exact()) {
      return visit.may(Role.OPERATOR)
          ? Html.span("faint")
              .add(
                  visit.access().payloads()
                      ? "The error has a masked value"
                      : "Needs the right to see payloads")
          : Html.NOTHING;
    }
    Link preview = visit.link("/preview").with("q", group.filter());
    return Html.all(
        visit.may(Role.OPERATOR)
            ? Ui.buttonLink(preview.with("action", "redrive"), "Redrive…", "small")
            : Html.NOTHING,
        visit.may(Role.ADMIN)
            ? Ui.buttonLink(preview.with("action", "prune"), "Prune…", "small danger")
            : Html.NOTHING);
  }
}
