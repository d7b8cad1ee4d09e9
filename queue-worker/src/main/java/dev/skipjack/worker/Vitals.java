package dev.skipjack.worker;

import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of a worker's condition. Written by its loops, read by anybody. */
final class Vitals implements Claimer.Watch {

  private final Reporter reporter;
  private volatile @Nullable Long polledAt;
  private volatile Duration lag = Duration.ZERO;
  private volatile @Nullable Boolean schemaCurrent;
  private Set<String> paused = Set.of(); // the fetcher's own

  Vitals(Reporter reporter) {
    this.reporter = reporter;
  }

  /** The fetcher has looked, or had no room for more. */
  void polled() {
    polledAt = System.nanoTime();
  }

  Optional<Duration> sinceLastPoll() {
    Long at = polledAt;
    return at == null ? Optional.empty() : Optional.of(Duration.ofNanos(System.nanoTime() - at));
  }

  @Override
  public void claimed(long nanos) {
    reporter.claimTook(nanos);
  }

  /** The fetcher's thread only. */
  @Override
  public void listed(DueLanes due) {
    Duration longest = Duration.ZERO;
    for (DueLane lane : due.lanes()) {
      longest = longest.compareTo(lane.waited()) < 0 ? lane.waited() : longest;
    }
    lag = longest;
    Set<String> now = Set.copyOf(due.paused());
    if (!now.equals(paused)) {
      Set<String> begun = new HashSet<>(now);
      begun.removeAll(paused);
      Set<String> over = new HashSet<>(paused);
      over.removeAll(now);
      paused = now;
      begun.forEach(reporter::queuePaused);
      over.forEach(reporter::queueResumed);
    }
  }

  Duration lag() {
    return lag;
  }

  void schemaIs(boolean current) {
    schemaCurrent = current;
  }

  Optional<Boolean> schemaCurrent() {
    return Optional.ofNullable(schemaCurrent);
  }
}
