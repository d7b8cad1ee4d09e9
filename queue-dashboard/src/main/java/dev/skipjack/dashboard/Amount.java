package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobCount;
import java.util.Collection;
import java.util.Locale;

/**
 * A number of jobs, and how exact it is.
 *
 * @param number the number
 * @param estimated whether it is an estimate
 */
record Amount(long number, boolean estimated) {

  static final Amount NONE = new Amount(0, false);

  static Amount of(Collection<JobCount> counts) {
    return new Amount(
        counts.stream().mapToLong(JobCount::jobs).sum(),
        counts.stream().anyMatch(JobCount::estimated));
  }

  Amount plus(Amount other) {
    return new Amount(number + other.number, estimated || other.estimated);
  }

  /** Returns a number with separators. */
  static String text(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  Node node() {
    return estimated
        ? Html.tag("span").set("title", "Estimated").add("≈ " + text(number))
        : number == 0 ? Html.span("faint").add("0") : Html.text(text(number));
  }
}
