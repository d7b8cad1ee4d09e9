package dev.skipjack.dashboard;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.QueueSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** The form for the settings of a queue. An empty field stands for the default. */
final class SettingsForm {

  private static final String ARCHIVE = "archive";
  private static final String DEAD = "dead";
  private static final String PRIORITY = "priority";
  private static final String ATTEMPTS = "attempts";
  private static final String POLICY = "policy";
  private static final String LIMIT = "limit";
  private static final String GROUPS = "groups";
  private static final String IN_TURN = "in_turn";

  private SettingsForm() {}

  static Node of(String queue, QueueSettings set, Visit visit) {
    return Html.tag("details")
        .add(
            Html.tag("summary", "Change the settings"),
            visit
                .form("/queue/settings")
                .target(queue)
                .style("fields")
                .add(
                    field(
                        "Keep ended jobs for, such as 7d or 12h; 0d for no archive",
                        ARCHIVE,
                        set.archiveRetention().map(Fields::span).orElse("")),
                    field(
                        "Delete dead jobs after, such as 30d",
                        DEAD,
                        set.deadRetention().map(Fields::span).orElse("")),
                    field(
                        "Default priority, from -100 to 100",
                        PRIORITY,
                        text(set.defaultPriority())),
                    field("Default maximum of attempts", ATTEMPTS, text(set.defaultMaxAttempts())),
                    Html.tag("label").add("Jobs behind a dead job of their key").add(policies(set)),
                    mayLimit(visit)
                        ? field("Limit, by its name", LIMIT, set.limit().orElse(""))
                        : Html.NOTHING,
                    Html.tag("label").add("Groups of its jobs").add(groups(set)))
                .reason()
                .button("Save", ""));
  }

  private static String text(OptionalInt number) {
    return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
  }

  private static Node field(String label, String name, String value) {
    return Html.tag("label")
        .add(label)
        .add(
            Html.tag("input")
                .set("name", name)
                .set("value", value)
                .set("placeholder", name.equals(LIMIT) ? "none" : "default")
                .set("autocomplete", "off"));
  }

  private static Node policies(QueueSettings set) {
    Element list = Html.tag("select").set("name", POLICY);
    list.add(Html.tag("option").set("value", "").add("as the job's type says"));
    for (OrderingPolicy policy : OrderingPolicy.values()) {
      list.add(
          Html.tag("option")
              .set("value", policy.name())
              .flag("selected", set.orderingPolicy().equals(Optional.of(policy)))
              .add(FilterText.lower(policy)));
    }
    return list;
  }

  private static Node groups(QueueSettings set) {
    return Html.tag("select")
        .set("name", GROUPS)
        .add(
            Html.tag("option").set("value", "").add("not separated"),
            Html.tag("option")
                .set("value", IN_TURN)
                .flag("selected", set.isFair())
                .add("served in turn"));
  }

  /** A limit is shared with other queues, so that a queue that obeys it takes from their share. */
  private static boolean mayLimit(Visit visit) {
    return visit.access().seesEverything();
  }

  /**
   * Returns the settings of a form.
   *
   * @param stored the settings so far, of which those are kept that the visitor may not change
   * @throws Refusal if a value is malformed
   * @throws IllegalArgumentException if a value is out of range
   */
  static QueueSettings read(Visit visit, QueueSettings stored) {
    Request request = visit.request();
    QueueSettings settings = QueueSettings.defaults();
    Optional<Duration> archive = value(request, ARCHIVE).map(Fields::duration);
    if (archive.isPresent()) {
      settings = settings.archiveRetention(archive.get());
    }
    Optional<Duration> dead = value(request, DEAD).map(Fields::duration);
    if (dead.isPresent()) {
      settings = settings.deadRetention(dead.get());
    }
    Optional<String> priority = value(request, PRIORITY);
    if (priority.isPresent()) {
      settings = settings.defaultPriority(Fields.number(priority.get(), "The priority"));
    }
    Optional<String> attempts = value(request, ATTEMPTS);
    if (attempts.isPresent()) {
      settings =
          settings.defaultMaxAttempts(Fields.number(attempts.get(), "The number of attempts"));
    }
    Optional<OrderingPolicy> policy = value(request, POLICY).map(SettingsForm::policy);
    if (policy.isPresent()) {
      settings = settings.orderingPolicy(policy.get());
    }
    Optional<String> limit = mayLimit(visit) ? value(request, LIMIT) : stored.limit();
    if (limit.isPresent()) {
      settings = settings.limitedBy(limit.get());
    }
    return value(request, GROUPS).equals(Optional.of(IN_TURN)) ? settings.fair() : settings;
  }

  private static Optional<String> value(Request request, String field) {
    return request.field(field).map(String::strip).filter(text -> !text.isEmpty());
  }

  private static OrderingPolicy policy(String name) {
    return Stream.of(OrderingPolicy.values())
        .filter(policy -> policy.name().equals(name))
        .findFirst()
        .orElseThrow(() -> Refusal.badInput("There is no such policy."));
  }
}
