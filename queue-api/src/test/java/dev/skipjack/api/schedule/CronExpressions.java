package dev.skipjack.api.schedule;

import java.time.Instant;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generates parts of cron expressions, and instants. */
final class CronExpressions {

  private static final String[] MONTHS = {
    "JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"
  };
  private static final String[] DAYS = {"MON", "TUE", "wed", "Thu", "FRI", "SAT", "SUN"};

  private CronExpressions() {}

  static Arbitrary<Instant> instants() {
    return Arbitraries.longs()
        .between(Zones.BEGIN.getEpochSecond(), Zones.END.getEpochSecond())
        .map(Instant::ofEpochSecond);
  }

  /** Generates the second or minute field. */
  static Arbitrary<String> sixty() {
    return field(0, 59);
  }

  static Arbitrary<String> hour() {
    return field(0, 23);
  }

  static Arbitrary<String> dayOfMonth() {
    return field(1, 31);
  }

  static Arbitrary<String> month() {
    return Arbitraries.oneOf(
        field(1, 12), range(1, 12).map(CronExpressions::named), Arbitraries.of(MONTHS));
  }

  /**
   * Generates the day-of-week field without steps of {@code *}, which libraries interpret
   * differently.
   */
  static Arbitrary<String> dayOfWeek() {
    Arbitrary<String> value =
        Arbitraries.oneOf(
            Arbitraries.of(DAYS), Arbitraries.integers().between(0, 7).map(String::valueOf));
    Arbitrary<String> ranges =
        Arbitraries.of("MON-FRI", "sat-sun", "1-5", "2-7", "FRI-SUN", "MON-FRI/2", "1/2");
    return Arbitraries.oneOf(Arbitraries.just("*"), list(Arbitraries.oneOf(value, ranges)));
  }

  /**
   * Generates only days that every month has, because Spring's results for other days are wrong.
   */
  static Arbitrary<String> patternOfDayOfMonth() {
    Arbitrary<Integer> day = Arbitraries.integers().between(1, 27);
    return Arbitraries.oneOf(
        Arbitraries.of("L", "LW", "?"), day.map(n -> "L-" + n), day.map(n -> n + "W"));
  }

  static Arbitrary<String> patternOfDayOfWeek() {
    Arbitrary<String> day =
        Arbitraries.oneOf(
            Arbitraries.of(DAYS), Arbitraries.integers().between(0, 7).map(String::valueOf));
    return Arbitraries.oneOf(
        day.map(name -> name + "L"),
        Combinators.combine(day, Arbitraries.integers().between(1, 5))
            .as((name, n) -> name + "#" + n));
  }

  private static Arbitrary<String> field(int min, int max) {
    Arbitrary<String> value = Arbitraries.integers().between(min, max).map(String::valueOf);
    Arbitrary<Integer> step = Arbitraries.integers().between(1, max);
    return Arbitraries.frequencyOf(
        Tuple.of(3, Arbitraries.just("*")),
        Tuple.of(3, list(value)),
        Tuple.of(2, list(range(min, max))),
        Tuple.of(1, step.map(n -> "*/" + n)),
        Tuple.of(1, Combinators.combine(value, step).as((from, n) -> from + "/" + n)),
        Tuple.of(1, Combinators.combine(range(min, max), step).as((range, n) -> range + "/" + n)));
  }

  private static Arbitrary<String> range(int min, int max) {
    Arbitrary<Integer> value = Arbitraries.integers().between(min, max);
    return Combinators.combine(value, value).as((a, b) -> Math.min(a, b) + "-" + Math.max(a, b));
  }

  private static Arbitrary<String> list(Arbitrary<String> element) {
    return element.list().ofMinSize(1).ofMaxSize(3).map(each -> String.join(",", each));
  }

  private static String named(String range) {
    String[] ends = range.split("-", -1);
    return MONTHS[Integer.parseInt(ends[0]) - 1] + "-" + MONTHS[Integer.parseInt(ends[1]) - 1];
  }
}
