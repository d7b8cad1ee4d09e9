package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.fail;

import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Lists the fire times of a timing. */
final class FireTimes {

  private FireTimes() {}

  static List<Instant> next(Timing timing, Instant after, int count) {
    return stream(timing, after).limit(count).toList();
  }

  /** Returns the fire times that have the given date in the timing's zone. */
  static List<Instant> on(Timing timing, LocalDate date) {
    Instant before = date.atStartOfDay(timing.zone()).toInstant().minusSeconds(1);
    return until(timing, before, before.plusSeconds(3 * 86_400)).stream()
        .filter(fire -> LocalDate.ofInstant(fire, timing.zone()).equals(date))
        .toList();
  }

  /** Returns the fire times after {@code after} and before {@code end}. */
  static List<Instant> until(Timing timing, Instant after, Instant end) {
    List<Instant> fireTimes = new ArrayList<>();
    stream(timing, after).takeWhile(fire -> fire.isBefore(end)).forEach(fireTimes::add);
    return fireTimes;
  }

  private static Stream<Instant> stream(Timing timing, Instant after) {
    return Stream.iterate(
            next(timing, after), Optional::isPresent, fire -> fire.flatMap(at -> next(timing, at)))
        .map(Optional::orElseThrow);
  }

  /** Fails if the timing does not advance, because the stream would then never end. */
  private static Optional<Instant> next(Timing timing, Instant after) {
    Optional<Instant> fire = timing.next(after);
    if (fire.isPresent() && !fire.orElseThrow().isAfter(after)) {
      fail("%s: %s is not after %s", timing, fire.orElseThrow(), after);
    }
    return fire;
  }
}
