package dev.skipjack.dashboard;

import dev.skipjack.api.operations.BlockedKey;
import java.util.List;

/** The ordering keys that a dead job blocks. */
final class KeysScreen implements Screen<KeysScreen.Model> {

  record Model(Panel<List<BlockedKey>> keys) {}

  @Override
  public Nav nav() {
    return Nav.KEYS;
  }

  @Override
  public String title(Model model) {
    return "Blocked keys";
  }

  @Override
  public Model read(Visit visit) {
    return new Model(visit.reads().blockedKeys().panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Ui.panel(
        "Ordering keys behind a dead job",
        model.keys(),
        visit,
        Html.NOTHING,
        keys ->
            keys.isEmpty()
                ? Ui.empty(
                    "No key is blocked.",
                    "If a job with an ordering key dies, the later jobs of the key wait, and the"
                        + " key appears here.")
                : Table.of(keys)
                    .column("Key", "grow", key -> Ui.mono(Ui.cut(key.orderingKey(), 120)))
                    .column("Dead job", key -> head(key, visit))
                    .column("Error", "wide", key -> Ui.error(key.lastError()))
                    .number(
                        "Waiting",
                        key -> Html.text((key.waiting() >= 1_000 ? "≥ " : "") + key.waiting()))
                    .number("Blocked", key -> visit.times().ago(key.diedAt()))
                    .column("Actions", "actions", key -> actions(key, visit)));
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
