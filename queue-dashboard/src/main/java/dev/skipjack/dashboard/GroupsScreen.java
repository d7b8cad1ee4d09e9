package dev.skipjack.dashboard;

import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.GroupState;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The groups of a queue that are paused or have settings of their own. */
final class GroupsScreen implements Screen<GroupsScreen.Model> {

  static final String PATH = "/groups";

  private static final int LONGEST_GROUP = 120;
  private static final int MOST = 1_000;

  record Model(String queue, Panel<List<GroupState>> groups) {}

  @Override
  public Nav nav() {
    return Nav.HELD;
  }

  @Override
  public String title(Model model) {
    return "Groups of " + model.queue();
  }

  static Link page(String queue, Visit visit) {
    return visit.link(PATH).with("name", queue);
  }

  @Override
  public Model read(Visit visit) {
    String queue = QueueScreen.required(visit.request().parameter("name").orElse(null), visit);
    return new Model(queue, visit.reads().groups(queue).panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.panel(
            "Paused groups, and groups with settings",
            model.groups(),
            visit,
            Html.text(model.groups().or(List.of()).size() < MOST ? "" : "The first " + MOST),
            groups -> table(groups, visit)),
        visit.may(Role.OPERATOR)
            ? Ui.card(
                "Another group",
                Html.NOTHING,
                visit
                    .form("/groups/pause")
                    .target(LimitChanges.target(model.queue(), ""))
                    .style("inline gap")
                    .add(groupField())
                    .reason()
                    .button("Pause", ""))
            : Html.NOTHING,
        visit.may(Role.ADMIN)
            ? Ui.card("Settings of a group", Html.NOTHING, settings(model.queue(), null, visit))
            : Html.NOTHING);
  }

  private static Node groupField() {
    return Html.tag("input")
        .set("name", LimitChanges.GROUP)
        .set("placeholder", "Group")
        .set("aria-label", "Group")
        .set("autocomplete", "off")
        .flag("required", true);
  }

  private static Node table(List<GroupState> groups, Visit visit) {
    if (groups.isEmpty()) {
      return Ui.empty(
          "No such group.",
          "All groups of this queue have the default settings, and none is paused.");
    }
    return Table.of(groups)
        .rowStyle(group -> group.paused() ? "is-paused" : "")
        .column("Group", "grow", group -> name(group, visit))
        .number("Weight", group -> Html.text("" + group.settings().weight()))
        .number("Running at most", group -> most(group.settings()))
        .number("Changed", group -> visit.times().ago(group.updatedAt()))
        .column("Actions", "actions", group -> actions(group, visit));
  }

  private static Node name(GroupState group, Visit visit) {
    return Html.span("with-badge")
        .add(
            Ui.mono(Ui.cut(group.group(), LONGEST_GROUP)),
            group.paused()
                ? Html.all(
                    Ui.badge("paused", "st-waiting"),
                    Html.text(" "),
                    visit.times().ago(group.pausedAt()))
                : Html.NOTHING);
  }

  private static Node most(GroupSettings settings) {
    OptionalInt most = settings.maxRunning();
    return most.isPresent()
        ? Html.text(Amount.text(most.getAsInt()))
        : Html.span("faint").add("as the limit");
  }

  private static Node actions(GroupState group, Visit visit) {
    if (!visit.may(Role.OPERATOR)) {
      return Html.NOTHING;
    }
    String target = LimitChanges.target(group.queue(), group.group());
    return Html.all(
        group.paused()
            ? visit.form("/groups/resume").target(target).button("Resume", "small")
            : visit.form("/groups/pause").target(target).button("Pause", "small"),
        visit.may(Role.ADMIN)
            ? Html.tag("details")
                .add(Html.tag("summary", "Settings"), settings(group.queue(), group, visit))
            : Html.NOTHING);
  }

  /** Returns the form for the settings of a group, or of one whose name is entered. */
  private static Node settings(String queue, @Nullable GroupState group, Visit visit) {
    GroupSettings set = group == null ? GroupSettings.defaults() : group.settings();
    Form form =
        visit
            .form("/groups/settings")
            .target(LimitChanges.target(queue, group == null ? "" : group.group()))
            .style("fields");
    if (group == null) {
      form.add(Html.tag("label").add("Group").add(groupField()));
    }
    return form.add(
            LimitForm.field(
                "Weight, from 1 to " + GroupSettings.LARGEST_WEIGHT,
                LimitChanges.WEIGHT,
                "" + set.weight()),
            LimitForm.field(
                "Running jobs, instead of the limit's number",
                LimitChanges.MOST,
                set.maxRunning().isPresent() ? "" + set.maxRunning().getAsInt() : ""))
        .reason()
        .button("Save", "");
  }
}
