package dev.skipjack.dashboard;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The form for the numbers of a limit. An empty field stands for no maximum. */
final class LimitForm {

  private static final String NAME = "limit";
  private static final String RUNNING = "running";
  private static final String PER_GROUP = "per-group";
  private static final String COUNT = "count";
  private static final String PERIOD = "period";
  private static final String KIND = "kind";
  private static final String BURST = "burst";
  private static final String RATE_PER_GROUP = "rate-per-group";

  private LimitForm() {}

  /** Returns the form of a limit, or of a new one if {@code row} is null. */
  static Node of(LimitsScreen.@Nullable Row row, Visit visit) {
    Limit limit = row == null ? Limit.none() : row.limit();
    Optional<Rate> rate = limit.rate();
    Form form = visit.form("/limits/set").target(row == null ? "" : row.name()).style("fields");
    if (row == null) {
      form.add(field("Name, for example stripe", NAME, ""));
    }
    return form.add(
            field("Running jobs at the same time", RUNNING, text(limit.maxRunning())),
            field("Running jobs of each group", PER_GROUP, text(limit.maxRunningPerGroup())),
            field("Starts in a period", COUNT, rate.map(one -> "" + one.count()).orElse("")),
            field(
                "Period, such as 1s or 5m",
                PERIOD,
                rate.map(one -> Fields.span(one.period())).orElse("")),
            Html.tag("label").add("How starts are counted").add(kinds(rate)),
            field("Starts at once after a pause (bucket)", BURST, burst(rate)),
            Html.tag("label")
                .style("check")
                .add(
                    Html.tag("input")
                        .set("type", "checkbox")
                        .set("name", RATE_PER_GROUP)
                        .set("value", "true")
                        .flag("checked", rate.filter(Rate::isPerGroup).isPresent()),
                    Html.text(" Each group has the rate for itself")))
        .reason()
        .button(row == null ? "Create" : "Save", "");
  }

  private static String text(OptionalInt number) {
    return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
  }

  private static String burst(Optional<Rate> rate) {
    return rate.filter(one -> one.burst() != one.count()).map(one -> "" + one.burst()).orElse("");
  }

  private static Node kinds(Optional<Rate> rate) {
    Element list = Html.tag("select").set("name", KIND);
    for (Rate.Kind kind : Rate.Kind.values()) {
      list.add(
          Html.tag("option")
              .set("value", kind.literal())
              .flag("selected", rate.map(Rate::kind).equals(Optional.of(kind)))
              .add(
                  switch (kind) {
                    case BUCKET -> "bucket: spread evenly, with bursts";
                    case SLIDING -> "sliding: never more in any such period";
                    case FIXED -> "fixed: from zero in each window";
                  }));
    }
    return list;
  }

  static Node field(String label, String name, String value) {
    return Html.tag("label")
        .add(label)
        .add(
            Html.tag("input")
                .set("name", name)
                .set("value", value)
                .set("placeholder", "none")
                .set("autocomplete", "off"));
  }

  /** Returns the name that the form has for a new limit. */
  static String name(Request request) {
    return value(request, NAME).orElseThrow(() -> Refusal.badInput("The limit needs a name."));
  }

  /**
   * Returns the limit of a form.
   *
   * @throws Refusal if a value is malformed
   * @throws IllegalArgumentException if a value is out of range
   */
  static Limit read(Request request) {
    return new Limit(
        number(request, RUNNING, "The number of running jobs"),
        number(request, PER_GROUP, "The number of running jobs of each group"),
        rate(request));
  }

  private static Optional<Rate> rate(Request request) {
    OptionalInt count = number(request, COUNT, "The number of starts");
    Optional<String> period = value(request, PERIOD);
    OptionalInt burst = number(request, BURST, "The number of starts at once");
    if (count.isEmpty() != period.isEmpty() || (count.isEmpty() && burst.isPresent())) {
      throw Refusal.badInput("A rate needs both a number of starts and a period.");
    }
    if (count.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Rate(
            kind(value(request, KIND).orElse("")),
            count.getAsInt(),
            Fields.duration(period.orElseThrow()),
            burst.orElse(count.getAsInt()),
            value(request, RATE_PER_GROUP).isPresent()));
  }

  private static Rate.Kind kind(String literal) {
    return Stream.of(Rate.Kind.values())
        .filter(kind -> kind.literal().equals(literal))
        .findFirst()
        .orElseThrow(() -> Refusal.badInput("There is no such way to count starts."));
  }

  static OptionalInt number(Request request, String field, String what) {
    return value(request, field)
        .map(text -> OptionalInt.of(Fields.number(text, what)))
        .orElse(OptionalInt.empty());
  }

  private static Optional<String> value(Request request, String field) {
    return request.field(field).map(String::strip).filter(text -> !text.isEmpty());
  }
}
