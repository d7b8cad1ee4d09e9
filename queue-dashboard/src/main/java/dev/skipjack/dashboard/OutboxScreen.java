package dev.skipjack.dashboard;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.BlockedAggregate;
import dev.skipjack.outbox.DeadEvent;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.RelayActivity;
import java.util.List;

/** The outbox: how far relays are behind, and what they cannot publish. */
final class OutboxScreen implements Screen<OutboxScreen.Model> {

  private static final int SHARDS = 32;

  record Model(
      Panel<OutboxLag> lag,
      Panel<List<RelayActivity>> relays,
      Panel<List<BlockedAggregate>> blocked,
      Panel<List<DeadEvent>> dead) {}

  @Override
  public Nav nav() {
    return Nav.OUTBOX;
  }

  @Override
  public int reloadSeconds() {
    return 10;
  }

  @Override
  public String title(Model model) {
    return "Outbox";
  }

  @Override
  public Model read(Visit visit) {
    VisibleReads reads = visit.reads();
    var lag = reads.outboxLag();
    var relays = reads.relays();
    var blocked = reads.blockedAggregates();
    var dead = reads.deadEvents();
    return new Model(lag.panel(), relays.panel(), blocked.panel(), dead.panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        Ui.problem(model.lag(), visit),
        Ui.content(model.lag(), OutboxScreen::tiles),
        Ui.panel(
            "Dead events",
            model.dead(),
            visit,
            Html.text(
                model.dead().or(List.of()).size() < Reads.EVENTS
                    ? ""
                    : "The oldest " + Reads.EVENTS),
            events -> dead(events, visit)),
        Html.div("columns")
            .add(
                Ui.panel(
                    "Blocked aggregates",
                    model.blocked(),
                    visit,
                    Html.NOTHING,
                    blocked -> blocked(blocked, visit)),
                Ui.panel(
                    "Relays",
                    model.relays(),
                    visit,
                    Html.NOTHING,
                    relays -> relays(relays, visit))));
  }

  private static Node tiles(OutboxLag lag) {
    boolean many = lag.unpublished() >= OutboxLag.COUNTED;
    return Html.div("tiles")
        .add(
            Ui.tile(
                null,
                "Unpublished",
                Html.text((many ? "≥ " : "") + Amount.text(lag.unpublished())),
                Html.text("events"),
                ""),
            Ui.tile(
                null,
                "Oldest",
                Html.text(lag.oldest().isZero() ? "–" : Times.span(lag.oldest())),
                Html.text("that may be published now"),
                ""),
            Ui.tile(
                null,
                "Blocked",
                Html.text(Amount.text(lag.blockedAggregates())),
                Html.text("aggregates with a failed event"),
                lag.blockedAggregates() == 0 ? "" : "warn"),
            Ui.tile(
                null,
                "Dead",
                Html.text(Amount.text(lag.dead())),
                Html.text("events, skipped ones included"),
                lag.dead() == 0 ? "" : "bad"));
  }

  private static Node dead(List<DeadEvent> events, Visit visit) {
    if (events.isEmpty()) {
      return Ui.empty("No dead events.", "An event that no attempt could publish appears here.");
    }
    return Table.of(events)
        .column(
            "Event",
            "grow",
            event ->
                Html.div("two")
                    .add(
                        Html.span("strong").add(event.type()),
                        Html.span("mono faint").add(event.id().toString())))
        .column("Aggregate", event -> aggregate(event.aggregate()))
        .column("Reason", "wide", event -> Ui.error(event.reason()))
        .number("Failures", event -> Html.text("" + event.failures()))
        .number("Died", event -> visit.times().ago(event.diedAt()))
        .column(
            "Actions",
            "actions",
            event ->
                visit.may(Role.OPERATOR)
                    ? visit
                        .form("/outbox/redrive")
                        .target(event.id().toString())
                        .button("Redrive", "small", "Give the event new attempts")
                    : Html.NOTHING);
  }

  private static Node aggregate(Aggregate aggregate) {
    return Html.div("two")
        .add(
            Html.tag("span", aggregate.type()),
            Html.span("mono faint").add(Ui.cut(aggregate.id(), 80)));
  }

  private static Node blocked(List<BlockedAggregate> blocked, Visit visit) {
    if (blocked.isEmpty()) {
      return Ui.empty("No aggregate is blocked.", "Later events wait for a failed one here.");
    }
    return Table.of(blocked)
        .column("Aggregate", "grow", one -> aggregate(one.aggregate()))
        .number("Blocked", one -> visit.times().ago(one.blockedAt()))
        .number(
            "Next try",
            one ->
                one.retryAt() == null
                    ? Html.span("bad").add("needs an operator")
                    : visit.times().ago(one.retryAt()))
        .column(
            "Actions",
            "actions",
            one ->
                visit.may(Role.OPERATOR) && one.retryAt() == null
                    ? visit
                        .form("/outbox/unblock")
                        .target(one.aggregate().type() + " " + one.aggregate().id())
                        .button("Skip", "small", "Publish the later events without the dead ones")
                    : Html.NOTHING);
  }

  private static Node relays(List<RelayActivity> relays, Visit visit) {
    if (relays.isEmpty()) {
      return Ui.empty("No relay has run.", "A relay appears here when it first publishes events.");
    }
    return Table.of(relays)
        .column("Relay", "grow", relay -> Html.text(relay.name()))
        .number("Shards", relay -> Html.text("%d of %d".formatted(relay.leasedShards(), SHARDS)))
        .number("Last active", relay -> visit.times().ago(relay.lastLeasedAt()));
  }
}
