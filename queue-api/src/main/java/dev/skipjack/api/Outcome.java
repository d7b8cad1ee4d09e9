package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How a handler answers an attempt. An exception is an answer too: a failed attempt, retried or not
 * as its {@link JobType} says.
 */
public sealed interface Outcome {

  /** The reason of a retry that was given none. */
  String NO_REASON = "The handler asked for a retry.";

  /** The job is done. */
  static Outcome completed() {
    return Completed.PLAIN;
  }

  /**
   * The job is done and has a result, which is kept with the archived job for as long as that is.
   *
   * @param result what the queue's {@link PayloadCodec} can write; the limits are those of a
   *     payload. One that cannot be written makes this a failed attempt. Null: none
   */
  static Outcome completed(@Nullable Object result) {
    return result == null ? Completed.PLAIN : new Completed(result);
  }

  /**
   * The attempt failed; try again after {@code delay} instead of the type's backoff. Uses an
   * attempt.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   */
  static Outcome retry(Duration delay) {
    return new Retried(delay, NO_REASON);
  }

  /**
   * As {@link #retry(Duration)}, with a reason.
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
    return new Snoozed(delay, null);
  }

  /**
   * Not now: try again at {@code until}, by the database's clock; in the past is now. Uses no
   * attempt.
   */
  static Outcome snooze(Instant until) {
    return new Snoozed(Duration.ZERO, until);
  }

  /**
   * There is nothing left to do, and not because it was done: the job is archived as cancelled.
   *
   * @param reason kept in the audit and with the archived job
   */
  static Outcome cancelled(String reason) {
    return new Cancelled(reason);
  }

  /**
   * Never: the job becomes a dead letter at once.
   *
   * @param reason kept in the audit and on the job
   */
  static Outcome dead(String reason) {
    return new Dead(reason);
  }

  /**
   * What {@code stage} will answer. The handler's thread is free for other jobs meanwhile; its
   * place in the queue's concurrency is not, and the lease is renewed. A stage that fails is a
   * failed attempt, as if its exception were thrown.
   *
   * <p>When the attempt times out, loses its lease or is to be cancelled, the stage is cancelled
   * ({@link java.util.concurrent.Future#cancel}) and waited for no more.
   */
  static Outcome async(CompletionStage<? extends @Nullable Outcome> stage) {
    return new Async(stage);
  }

  /** One of its cases, by what was answered. */
  <R> R accept(Cases<R> cases);

  /** A function of outcomes: one method for each. */
  interface Cases<R> {

    /** The job is done. */
    R completed(Completed outcome);

    /** The attempt failed. */
    R retried(Retried outcome);

    /** Not now. */
    R snoozed(Snoozed outcome);

    /** Nothing to do any more. */
    R cancelled(Cancelled outcome);

    /** A final failure. */
    R dead(Dead outcome);

    /** Not known yet. */
    R async(Async outcome);
  }

  /**
   * The job is done.
   *
   * @param result null: none
   */
  record Completed(@Nullable Object result) implements Outcome {
    private static final Completed PLAIN = new Completed(null);

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.completed(this);
    }
  }

  /** A failed attempt with a wait of its own. */
  record Retried(Duration delay, String reason) implements Outcome {
    /** Clamps the delay; a null reason becomes a sentence that says so. */
    public Retried {
      delay = Backoff.clamp(delay);
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.retried(this);
    }
  }

  /**
   * Later, without a used attempt.
   *
   * @param delay until it is due again, unless {@code until} says
   * @param until when it is due again; null: after the delay
   */
  record Snoozed(Duration delay, @Nullable Instant until) implements Outcome {
    /** Clamps the delay. */
    public Snoozed {
      delay = Backoff.clamp(delay);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.snoozed(this);
    }
  }

  /** The end of a job that was not done. */
  record Cancelled(String reason) implements Outcome {
    /** A null reason becomes a sentence that says so. */
    public Cancelled {
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.cancelled(this);
    }
  }

  /** A final failure. */
  record Dead(String reason) implements Outcome {
    /** A null reason becomes a sentence that says so. */
    public Dead {
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.dead(this);
    }
  }

  /** To be known later. */
  record Async(CompletionStage<? extends @Nullable Outcome> stage) implements Outcome {
    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.async(this);
    }
  }
}
