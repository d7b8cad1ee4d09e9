package dev.skipjack.worker;

import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.WorkerInstructions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state from which a worker's health is derived. Written by the worker's loops, read by
 * any thread.
 */
final class Vitals implements Claimer.Watch {

  /**
   * A temporary problem with creating a partition is reported only if the existing partitions end
   * within this period. The locks that can block the creation are released long before that.
   */
  private static final Duration SOON = Duration.ofDays(7);

  private final Reporter reporter;
  private volatile @Nullable Long polledAt;
  private volatile Duration lag = Duration.ZERO;
  private volatile List<DueLane> due = List.of();
  private volatile @Nullable Boolean schemaCurrent;
  private volatile String encoding = WorkerInstructions.UTF8;
  private volatile @Nullable CreatedPartitions partitions;
  private volatile Duration scheduleOverdue = Duration.ZERO;
  private volatile Supplier<List<String>> hangingSchedules = List::of;
  private Set<String> paused = Set.of(); // used by the claim loop only

  Vitals(Reporter reporter) {
    this.reporter = reporter;
  }

  /** Records that the claim loop has polled, even without room for more jobs. */
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

  @Override
  public void tooLarge(int limit, Throwable failure) {
    reporter.claimTooLarge(limit, failure);
  }

  /** Records the result of a listing. Called only by the claim loop. */
  @Override
  public void listed(DueLanes due) {
    Duration longest = Duration.ZERO;
    for (DueLane lane : due.lanes()) {
      longest = longest.compareTo(lane.waited()) < 0 ? lane.waited() : longest;
    }
    lag = longest;
    this.due = due.lanes();
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

  /** Returns how long the oldest due job of a queue had waited when the lanes were last listed. */
  Duration lag(String queue) {
    Duration longest = Duration.ZERO;
    for (DueLane lane : due) {
      boolean longer = lane.lane().queue().equals(queue) && lane.waited().compareTo(longest) > 0;
      longest = longer ? lane.waited() : longest;
    }
    return longest;
  }

  void schemaIs(boolean current) {
    schemaCurrent = current;
  }

  /** Records the partitions that the maintainer created, and those that it could not create. */
  void partitionsAre(CreatedPartitions created) {
    partitions = created;
  }

  /**
   * Returns a sentence about partitions that cannot be created, or empty if there are none or the
   * problem is probably temporary.
   */
  Optional<String> partitionTrouble() {
    CreatedPartitions last = partitions;
    if (last == null || last.missingFrom().isEmpty()) {
      return Optional.empty();
    }
    Instant end = last.missingFrom().get();
    List<Postponed> missing = last.postponed();
    boolean isPassing = missing.stream().allMatch(one -> one.reason() == Reason.BUSY);
    // Uses this machine's clock. If it is wrong, a temporary problem is only shown earlier or
    // later.
    if (isPassing && end.isAfter(Instant.now().plus(SOON))) {
      return Optional.empty();
    }
    Postponed first = missing.get(0);
    return Optional.of(
        "The worker cannot create partitions (%s: %s); the last one ends at %s, and no job can be claimed or completed after that."
            .formatted(first.partition(), first.reason(), end));
  }

  /** Records when the first schedule of the database is due. */
  void nextFireIn(@Nullable Duration nextFireIn) {
    scheduleOverdue =
        nextFireIn == null || !nextFireIn.isNegative() ? Duration.ZERO : nextFireIn.negated();
  }

  /** Returns how long the schedule that is most overdue has been due; zero if none is overdue. */
  Duration scheduleOverdue() {
    return scheduleOverdue;
  }

  /** Sets the source of sentences about schedules whose code hangs. */
  void hangingSchedules(Supplier<List<String>> source) {
    hangingSchedules = source;
  }

  /** Returns a sentence about each schedule whose code hangs. */
  List<String> hangingSchedules() {
    return hangingSchedules.get();
  }

  void encodingIs(String encoding) {
    this.encoding = encoding;
  }

  /**
   * Returns a sentence about the database's encoding if it cannot represent every text, or empty if
   * it can.
   */
  Optional<String> encodingTrouble() {
    return encoding.equals(WorkerInstructions.UTF8)
        ? Optional.empty()
        : Optional.of(
            "The database's encoding is %s, which cannot represent every payload and error message. Move the queue to a database with encoding UTF8."
                .formatted(encoding));
  }

  Optional<Boolean> schemaCurrent() {
    return Optional.ofNullable(schemaCurrent);
  }
}
