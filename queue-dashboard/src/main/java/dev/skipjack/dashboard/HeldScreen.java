package dev.skipjack.dashboard;

import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.HeldLane;
import java.util.List;

/** What does not run although it is due: jobs behind limits, paused groups and dead jobs. */
final class HeldScreen implements Screen<HeldScreen.Model> {

  static final String PATH = "/held";

  private static final int LONGEST_KEY = 120;
  private static final int COUNTED = 1_000;

  /**
   * @param held the due jobs that limits and pauses of groups hold
   * @param keys the ordering keys that a dead job blocks
   */
  record Model(Panel<List<HeldLane>> held, Panel<List<BlockedKey>> keys) {}

  @Override
  public Nav nav() {
    return Nav.HELD;
  }

  @Override
  public int reloadSeconds() {
    return 5;
  }

  @Override
  public String title(Model model) {
    return "Held";
  }

  @Override
  public Model read(Visit visit) {
    var held = visit.reads().held();
    var keys = visit.reads().blockedKeys();
    return new Model(held.panel(), keys.panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.panel(
            "Due jobs behind limits and paused groups",
            model.held(),
            visit,
            Ui.link(visit.link(LimitsScreen.PATH), "Limits"),
            lanes -> lanes(lanes, visit)),
        Ui.panel(
            "Ordering keys behind a dead job",
            model.keys(),
            visit,
            Html.NOTHING,
            keys -> keys(keys, visit)));
  }

  private static Node lanes(List<HeldLane> lanes, Visit visit) {
    if (lanes.isEmpty()) {
      return Ui.empty(
          "No limit holds a due job.",
          "Due jobs that a limit or the pause of their group holds back appear here. Paused queues"
              + " are left out.");
    }
    return Table.of(lanes)
        .column("Queue", "grow", lane -> Ui.queue(lane.queue(), visit))
        .column("Group", lane -> group(lane))
        .column("Held by", "wide", lane -> cause(lane, visit))
        .number("In use", HeldScreen::use)
        .number("Opens", lane -> visit.times().ago(lane.opensAt()))
        .number("Due jobs", lane -> counted(lane.due()))
        .column("Actions", "actions", lane -> actions(lane, visit));
  }

  private static Node group(HeldLane lane) {
    if (lane.group() != null) {
      return Ui.mono(Ui.cut(lane.group(), LONGEST_KEY));
    }
    return Html.span("faint").add(isOfGroup(lane) ? "no group" : "all");
  }

  private static boolean isOfGroup(HeldLane lane) {
    return switch (lane.cause()) {
      case RUNNING, RATE -> false;
      case RUNNING_OF_GROUP, RATE_OF_GROUP, GROUP_PAUSED -> true;
    };
  }

  private static Node cause(HeldLane lane, Visit visit) {
    String words =
        switch (lane.cause()) {
          case RUNNING -> "As many jobs run as its limit allows";
          case RUNNING_OF_GROUP -> "As many jobs of the group run as may";
          case RATE -> "The rate of its limit is used up, or a job throttled it";
          case RATE_OF_GROUP -> "The rate of the group is used up, or a job throttled it";
          case GROUP_PAUSED -> "The group is paused";
        };
    return Html.div("two")
        .add(
            Html.tag("span", words),
            lane.limit() == null
                ? Html.NOTHING
                : Ui.link(visit.link(LimitsScreen.PATH), "limit " + lane.limit()));
  }

  private static Node use(HeldLane lane) {
    Integer most = lane.most();
    return switch (lane.cause()) {
      case RUNNING, RUNNING_OF_GROUP ->
          Html.text("%s of %s".formatted(lane.running(), most == null ? "–" : most.toString()));
      case RATE, RATE_OF_GROUP ->
          most == null
              ? Html.span("faint").add("throttled")
              : Html.text(Amount.text(most) + " starts");
      case GROUP_PAUSED -> Html.span("faint").add("–");
    };
  }

  /** Returns a number that is counted up to 1,000. */
  private static Node counted(int jobs) {
    return Html.text((jobs >= COUNTED ? "≥ " : "") + Amount.text(jobs));
  }

  private static Node actions(HeldLane lane, Visit visit) {
    String group = lane.group();
    if (lane.cause() == HeldLane.Cause.GROUP_PAUSED && group != null) {
      return visit.may(Role.OPERATOR)
          ? visit
              .form("/groups/resume")
              .target(LimitChanges.target(lane.queue(), group))
              .button("Resume the group", "small")
          : Html.NOTHING;
    }
    if (!visit.may(Role.ADMIN)) {
      return Html.NOTHING;
    }
    return isOfGroup(lane)
        ? Ui.buttonLink(GroupsScreen.page(lane.queue(), visit), "Groups", "small")
        : Ui.buttonLink(visit.link(LimitsScreen.PATH), "Change the limit", "small");
  }

  private static Node keys(List<BlockedKey> keys, Visit visit) {
    if (keys.isEmpty()) {
      return Ui.empty(
          "No key is blocked.",
          "If a job with an ordering key dies, the later jobs of the key wait, and the key appears"
              + " here.");
    }
    return Table.of(keys)
        .column("Key", "grow", key -> Ui.mono(Ui.cut(key.orderingKey(), LONGEST_KEY)))
        .column("Dead job", key -> head(key, visit))
        .column("Error", "wide", key -> Ui.error(key.lastError()))
        .number("Waiting", key -> counted(key.waiting()))
        .number("Blocked", key -> visit.times().ago(key.diedAt()))
        .column("Actions", "actions", key -> actions(key, visit));
  }

  private static Node head(BlockedKey key, Visit visit) {
    return Html.div("two")
        .add(
            Html.tag("a").to("href", visit.link("/jobs/" + key.head())).add(key.kind()),
            Html.span("mono faint").add("#" + key.head()));
  }

  private static Node actions(BlockedKey key, Visit visit) {
    return visit.may(Role.OPERATOR)
        ? Html.all(
            visit
                .form("/jobs/" + key.head() + "/redrive")
                .button("Redrive", "small", "Give the dead job fresh attempts"),
            visit
                .form("/keys/unblock")
                .target(key.head().toString())
                .button("Skip", "small", "Leave the dead job dead, and let the next one run"))
        : Html.NOTHING;
  }
}
