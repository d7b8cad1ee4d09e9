package dev.skipjack.dashboard;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import java.util.Comparator;
import java.util.List;

/** The findings of the doctor. */
final class DoctorScreen implements Screen<DoctorScreen.Model> {

  record Model(Panel<List<Finding>> findings) {}

  @Override
  public Nav nav() {
    return Nav.DOCTOR;
  }

  @Override
  public int reloadSeconds() {
    return 15;
  }

  @Override
  public String title(Model model) {
    return "Doctor";
  }

  @Override
  public Model read(Visit visit) {
    return new Model(visit.reads().findings().panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    List<Finding> findings = model.findings().or(List.of());
    List<Finding> passed =
        findings.stream().filter(finding -> finding.level() == Finding.Level.GREEN).toList();
    List<Finding> others =
        findings.stream()
            .filter(finding -> finding.level() != Finding.Level.GREEN)
            .sorted(Comparator.comparing(Finding::level).reversed())
            .toList();
    return Html.all(
        Ui.problem(model.findings(), visit),
        Html.div("findings").add(others.stream().map(DoctorScreen::finding).toList()),
        passed.isEmpty()
            ? Html.NOTHING
            : Ui.card(
                others.isEmpty() ? "All checks passed" : "Passed",
                Html.NOTHING,
                Html.tag("ul")
                    .style("checks")
                    .add(passed.stream().map(DoctorScreen::passed).toList())));
  }

  private static Node passed(Finding finding) {
    return Html.tag("li")
        .add(
            Html.span("strong").add(finding.check()),
            Html.span("faint").add(" " + finding.sentence()));
  }

  private static Node finding(Finding finding) {
    Fix fix = finding.fix();
    return Html.tag("section")
        .style("finding " + style(finding.level()))
        .add(
            Html.tag("h2")
                .add(
                    Ui.badge(word(finding.level()), style(finding.level())),
                    Html.text(finding.check())),
            Html.tag("p").style("sentence").add(finding.sentence()),
            Html.tag("p").style("faint").add(finding.meaning()),
            fix == null
                ? Html.NOTHING
                : Html.tag("p").style("fix").add(Html.tag("code", fix.command())));
  }

  private static String word(Finding.Level level) {
    return switch (level) {
      case GREEN -> "ok";
      case NOT_CHECKED -> "not checked";
      case YELLOW -> "warning";
      case RED -> "problem";
    };
  }

  private static String style(Finding.Level level) {
    return switch (level) {
      case GREEN -> "lv-ok";
      case NOT_CHECKED -> "lv-none";
      case YELLOW -> "lv-warn";
      case RED -> "lv-bad";
    };
  }
}
