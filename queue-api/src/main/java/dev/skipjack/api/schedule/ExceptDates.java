package dev.skipjack.api.schedule;

import java.time.LocalDate;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The dates on which a timing does not fire, given as dates and as predicates. */
record ExceptDates(SortedSet<LocalDate> dates, List<Predicate<LocalDate>> predicates) {

  static final ExceptDates NONE = new ExceptDates(Collections.emptySortedSet(), List.of());

  /** The maximum number of dates. */
  private static final int MOST = 10_000;

  private static final int LATEST_YEAR = 9_999;

  ExceptDates and(Collection<LocalDate> more) {
    SortedSet<LocalDate> all = new TreeSet<>(dates);
    for (LocalDate date : more) {
      if (date.getYear() < 1 || date.getYear() > LATEST_YEAR) {
        throw new IllegalArgumentException(
            "Excluded date %s is not in the years 1..%d.".formatted(date, LATEST_YEAR));
      }
      all.add(date);
    }
    if (all.size() > MOST) {
      throw new IllegalArgumentException(
          "%,d dates are excluded; at most %,d are allowed. Exclude them by a predicate."
              .formatted(all.size(), MOST));
    }
    return new ExceptDates(Collections.unmodifiableSortedSet(all), predicates);
  }

  ExceptDates and(Predicate<LocalDate> predicate) {
    return new ExceptDates(
        dates, Stream.concat(predicates.stream(), Stream.of(predicate)).toList());
  }

  boolean contains(LocalDate date) {
    return dates.contains(date) || predicates.stream().anyMatch(each -> each.test(date));
  }

  @Override
  public String toString() {
    return (dates.isEmpty() ? "" : ", except " + dates)
        + (predicates.isEmpty() ? "" : ", except by predicate");
  }
}
