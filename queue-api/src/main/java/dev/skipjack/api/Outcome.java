package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The result of an attempt, returned by its handler. An exception means a failed attempt, which is
 * retried or not according to the {@link JobType}.
 */
public sealed interface Outcome {

  /** The default reason of a retry. */
  String NO_REASON = "The handler asked for a retry.";

  /** The job is completed. */
  static Outcome completed() {
    return Completed.PLAIN;
  }

  /**
   * The job is completed and has a result, which is kept with the archived job.
   *
   * @param result any value that the queue's {@link PayloadCodec} can write, within the limits of a
   *     payload; null for none. If it cannot be written, the attempt fails
   */
  static Outcome completed(@Nullable Object result) {
    return result == null ? Completed.PLAIN : new Completed(result);
  }

  /**
   * The attempt failed and is retried after {@code delay} instead of the type's backoff. Uses an
   * attempt.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   */
  static Outcome retry(Duration delay) {
    return new Retried(delay, NO_REASON);
  }

  /**
   * Like {@link #retry(Duration)}, with a reason.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   * @param reason kept in the audit and on the job
   */
  static Outcome retry(Duration delay, String reason) {
    return new Retried(delay, reason);
  }

  /**
   * Postpones the job by {@code delay}. Uses no attempt.
   *
   * @param delay clamped to 0 .. {@link Backoff#LONGEST}
   */
  static Outcome snooze(Duration delay) {
    return new Snoozed(delay, null);
  }

  /**
   * Postpones the job until {@code until}, by the database's clock; a past instant means now. Uses
   * no attempt.
   */
  static Outcome snooze(Instant until) {
    return new Snoozed(Duration.ZERO, until);
  }

  /**
   * Ends the job without completing it: it is archived as cancelled.
   *
   * @param reason kept in the audit and with the archived job
   */
  static Outcome cancelled(String reason) {
    return new Cancelled(reason);
  }

  /**
   * Makes the job dead at once, without further attempts.
   *
   * @param reason kept in the audit and on the job
   */
  static Outcome dead(String reason) {
    return new Dead(reason);
  }

  /**
   * The outcome of {@code stage}, once it completes. Meanwhile the handler's thread is free for
   * other jobs, but the attempt keeps its slot, and its lease is renewed. If the stage fails, the
   * attempt fails as if the handler had thrown that exception.
   *
   * <p>When the attempt times out, loses its lease or is cancelled, the worker cancels the stage
   * ({@link java.util.concurrent.Future#cancel}) and stops waiting for it.
   */
  static Outcome async(CompletionStage<? extends @Nullable Outcome> stage) {
    return new Async(stage);
  }

  /** Calls the function for this outcome. */
  <R> R accept(Cases<R> cases);

  /** A function of outcomes, with one method for each kind. */
  interface Cases<R> {

    /** The job is completed. */
    R completed(Completed outcome);

    /** The attempt failed. */
    R retried(Retried outcome);

    /** The job is postponed. */
    R snoozed(Snoozed outcome);

    /** The job ends as cancelled. */
    R cancelled(Cancelled outcome);

    /** A final failure. */
    R dead(Dead outcome);

    /** The outcome is not known yet. */
    R async(Async outcome);
  }

  /**
   * The job is done.
   *
   * @param result null if there is none
   */
  record Completed(@Nullable Object result) implements Outcome {
    private static final Completed PLAIN = new Completed(null);

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.completed(this);
    }
  }

  /** A failed attempt that is retried after a delay of its own. */
  record Retried(Duration delay, String reason) implements Outcome {
    /** Clamps the delay; a null reason is replaced by a default text. */
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
   * A postponed job; the attempt does not count.
   *
   * @param delay time until it is due again; ignored if {@code until} is given
   * @param until when it is due again; null if the delay applies
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

  /** The end of a job that was not completed. */
  record Cancelled(String reason) implements Outcome {
    /** A null reason is replaced by a default text. */
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
    /** A null reason is replaced by a default text. */
    public Dead {
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.dead(this);
    }
  }

  /** An outcome that is known later. */
  record Async(CompletionStage<? extends @Nullable Outcome> stage) implements Outcome {
    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.async(this);
    }
  }
}
