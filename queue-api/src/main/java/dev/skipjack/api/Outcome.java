package dev.skipjack.api;

import java.time.Duration;
import java.util.function.Function;

/**
 * How a handler answers an attempt. An exception is an answer too: a failed attempt, retried as the
 * type's {@link Backoff} says.
 */
public sealed interface Outcome {

  /** The job is done. */
  static Outcome completed() {
    return Completed.INSTANCE;
  }

  /**
   * The attempt failed; try again after {@code delay} instead of the type's backoff. Uses an
   * attempt.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   * @param reason kept in the audit and on the job
   */
  static Outcome retry(Duration delay, String reason) {
    return new Retried(delay, reason);
  }

  /**
   * Not now: try again after {@code delay}. Uses no attempt.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   */
  static Outcome snooze(Duration delay) {
    return new Snoozed(delay);
  }

  /**
   * Never: the job becomes a dead letter at once.
   *
   * @param reason kept in the audit and on the job
   */
  static Outcome dead(String reason) {
    return new Dead(reason);
  }

  /** One of four functions, by what was answered. */
  <R> R fold(
      Function<Completed, R> completed,
      Function<Retried, R> retried,
      Function<Snoozed, R> snoozed,
      Function<Dead, R> dead);

  /** The job is done. */
  record Completed() implements Outcome {
    private static final Completed INSTANCE = new Completed();

    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Retried, R> retried,
        Function<Snoozed, R> snoozed,
        Function<Dead, R> dead) {
      return completed.apply(this);
    }
  }

  /** A failed attempt with a wait of its own. */
  record Retried(Duration delay, String reason) implements Outcome {
    /** Clamps the delay. */
    public Retried {
      delay = Backoff.clamp(delay);
    }

    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Retried, R> retried,
        Function<Snoozed, R> snoozed,
        Function<Dead, R> dead) {
      return retried.apply(this);
    }
  }

  /** Later, without a used attempt. */
  record Snoozed(Duration delay) implements Outcome {
    /** Clamps the delay. */
    public Snoozed {
      delay = Backoff.clamp(delay);
    }

    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Retried, R> retried,
        Function<Snoozed, R> snoozed,
        Function<Dead, R> dead) {
      return snoozed.apply(this);
    }
  }

  /** A final failure. */
  record Dead(String reason) implements Outcome {
    @Override
    public <R> R fold(
        Function<Completed, R> completed,
        Function<Retried, R> retried,
        Function<Snoozed, R> snoozed,
        Function<Dead, R> dead) {
      return dead.apply(this);
    }
  }
}
