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

  ExceptDates and(Collection<LocalDate> more) {
    SortedSet<LocalDate> all = new TreeSet<>(dates);
    all.addAll(more);
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
