package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One step of a {@link JobWalk}: a move, and three numbers that select its jobs and options from
 * those that exist then. Any part of a walk is therefore valid, and jqwik can remove steps from a
 * failing walk.
 */
record WalkStep(Move move, int a, int b, int c) {

  /** The moves of producers, workers, a sweeper, an operator and a rival. */
  enum Move {
    ENQUEUE,
    ENQUEUE_IN_TRANSACTION,
    ENQUEUE_ONCE,
    ENQUEUE_UNIQUE,
    CLAIM,
    HEARTBEAT,
    COMPLETE,
    COMPLETE_IN,
    END_WITH_DATA,
    PROGRESS,
    FAIL,
    REQUEUE,
    RESCUE,
    CANCEL,
    REDRIVE,
    EDIT,
    PRUNE,
    PAUSE,
    HOLD
  }

  static final List<String> QUEUES = List.of(JobModel.KEPT, JobModel.UNKEPT);
  static final Duration LATER = Duration.ofHours(1);

  /**
   * The choices for a unique key. The choice with which a redrive can conflict occurs most often.
   */
  private static final List<UniqueUntil> UNTILS =
      List.of(UniqueUntil.DEAD, UniqueUntil.STARTED, UniqueUntil.DEAD, UniqueUntil.ENDED);

  String queue() {
    return c % 5 == 0 ? JobModel.UNKEPT : JobModel.KEPT;
  }

  int priority() {
    return b % 2 == 0 ? 0 : 7;
  }

  int maxAttempts() {
    return 1 + c % 3;
  }

  boolean isLater() {
    return c % 7 == 0;
  }

  Duration delay() {
    return isLater() ? LATER : Duration.ZERO;
  }

  UniqueUntil until() {
    return UNTILS.get(a % UNTILS.size());
  }

  /** Picks one to three different elements, or none if the list is empty. */
  <T> List<T> pick(List<T> from) {
    Set<T> picked = new LinkedHashSet<>();
    for (int i = 0; !from.isEmpty() && i <= c % 3; i++) {
      picked.add(Objects.requireNonNull(from.get((b + i * (1 + c)) % from.size())));
    }
    return List.copyOf(picked);
  }
}
