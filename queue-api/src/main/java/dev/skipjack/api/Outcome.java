package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an attempt, as returned by its handler. If the handler throws an exception
 * instead, the attempt fails, and the {@link JobType} determines whether the job is retried.
 */
public sealed interface Outcome {

  /** The reason recorded for a retry without a reason. */
  String NO_REASON = "The handler asked for a retry.";

  /** {@return an outcome that completes the job without a result} */
  static Outcome completed() {
    return Completed.PLAIN;
  }

  /**
   * {@return an outcome that completes the job with a result, which is stored with the archived
   * job}
   *
   * @param result a value that the queue's {@link PayloadCodec} can encode, subject to the same
   *     limits as a payload; null for no result. If it cannot be encoded, the attempt fails
   */
  static Outcome completed(@Nullable Object result) {
    return result == null ? Completed.PLAIN : new Completed(result);
  }

  /**
   * {@return an outcome that fails the attempt and retries the job after {@code delay} instead of
   * the type's backoff} This uses an attempt.
   *
   * @param delay the delay, clamped to the range from 0 to {@link Backoff#LONGEST}
   */
  static Outcome retry(Duration delay) {
    return new Retried(delay, NO_REASON);
  }

  /**
   * {@return an outcome that fails the attempt for the given reason and retries the job after
   * {@code delay} instead of the type's backoff} This uses an attempt.
   *
   * @param delay the delay, clamped to the range from 0 to {@link Backoff#LONGEST}
   * @param reason the reason, stored in the audit and with the job
   */
  static Outcome retry(Duration delay, String reason) {
    return new Retried(delay, reason);
  }

  /**
   * {@return an outcome that postpones the job by {@code delay}} This does not use an attempt.
   *
   * @param delay the delay, clamped to the range from one second to {@link Backoff#LONGEST}
   */
  static Outcome snooze(Duration delay) {
    return new Snoozed(delay, null, false);
  }

  /**
   * {@return an outcome that postpones the job until the given instant of the database clock, but
   * by at least one second} This does not use an attempt.
   *
   * @param until when the job is due again
   */
  static Outcome snooze(Instant until) {
    return new Snoozed(Duration.ZERO, until, false);
  }

  /**
   * {@return an outcome that postpones the job because the resource that it uses is overloaded, and
   * stops further starts under the same limit for {@code retryAfter}, in all workers} For instance,
   * the handler has received the HTTP status 429. If each group of the limit has a rate of its own,
   * only the group of the job is stopped. In a queue without a limit, this is a {@link
   * #snooze(Duration)}. It does not use an attempt.
   *
   * @param retryAfter the delay, clamped to the range from one second to {@link Backoff#LONGEST}
   */
  static Outcome throttled(Duration retryAfter) {
    return new Snoozed(retryAfter, null, true);
  }

  /**
   * {@return an outcome that ends the job without completing it} The job is archived as cancelled.
   *
   * @param reason the reason, stored in the audit and with the archived job
   */
  static Outcome cancelled(String reason) {
    return new Cancelled(reason);
  }

  /**
   * {@return an outcome that makes the job dead immediately, without further attempts}
   *
   * @param reason the reason, stored in the audit and with the job
   */
  static Outcome dead(String reason) {
    return new Dead(reason);
  }

  /**
   * {@return an outcome that is determined by {@code stage} when it completes} Until then, the
   * handler's thread is available for other work, but the attempt keeps its slot, and its lease is
   * renewed. If the stage completes exceptionally, the attempt fails as if the handler had thrown
   * the exception.
   *
   * <p>If the attempt times out, loses its lease or is cancelled, the worker cancels the stage
   * ({@link java.util.concurrent.Future#cancel}) and stops waiting for it.
   *
   * @param stage completes with the outcome, or null
   */
  static Outcome async(CompletionStage<? extends @Nullable Outcome> stage) {
    return new Async(stage);
  }

  /**
   * Calls the method of {@code cases} for this type of outcome, and returns its result.
   *
   * @param <R> the type of the result
   * @param cases one method for each type of outcome, of which exactly one is called
   * @return the result of that method, which is null if the method returns null
   */
  <R> R accept(Cases<R> cases);

  /** A function that accepts any outcome, with one method for each type of outcome. */
  interface Cases<R> {

    /**
     * Handles an outcome that completes the job.
     *
     * @param outcome the outcome, with the result
     * @return the result of {@link Outcome#accept}
     */
    R completed(Completed outcome);

    /**
     * Handles an outcome that retries the job after a delay.
     *
     * @param outcome the outcome, with the delay and the reason
     * @return the result of {@link Outcome#accept}
     */
    R retried(Retried outcome);

    /**
     * Handles an outcome that postpones the job.
     *
     * @param outcome the outcome, with the new due time
     * @return the result of {@link Outcome#accept}
     */
    R snoozed(Snoozed outcome);

    /**
     * Handles an outcome that cancels the job.
     *
     * @param outcome the outcome, with the reason
     * @return the result of {@link Outcome#accept}
     */
    R cancelled(Cancelled outcome);

    /**
     * Handles an outcome that makes the job dead.
     *
     * @param outcome the outcome, with the reason
     * @return the result of {@link Outcome#accept}
     */
    R dead(Dead outcome);

    /**
     * Handles an outcome that is not known yet.
     *
     * @param outcome the stage that supplies the outcome
     * @return the result of {@link Outcome#accept}
     */
    R async(Async outcome);
  }

  /**
   * Completes the job.
   *
   * @param result the result; null if there is none
   */
  record Completed(@Nullable Object result) implements Outcome {
    private static final Completed PLAIN = new Completed(null);

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.completed(this);
    }
  }

  /** Fails the attempt and retries the job after the given delay. */
  record Retried(Duration delay, String reason) implements Outcome {
    /**
     * Clamps the delay and replaces a null reason with a default text.
     *
     * @param delay the delay
     * @param reason the reason
     */
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
   * Postpones the job without using an attempt.
   *
   * @param delay how long until the job is due again; ignored if {@code until} is not null
   * @param until when the job is due again; null if the delay applies
   * @param throttles whether further starts under the limit of the job stop until then
   */
  record Snoozed(Duration delay, @Nullable Instant until, boolean throttles) implements Outcome {
    /**
     * Clamps the delay.
     *
     * @param delay the delay
     * @param until when the job is due again
     * @param throttles whether further starts stop
     */
    public Snoozed {
      delay = Backoff.clamp(delay);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.snoozed(this);
    }
  }

  /** Ends the job without completing it. */
  record Cancelled(String reason) implements Outcome {
    /**
     * Replaces a null reason with a default text.
     *
     * @param reason the reason
     */
    public Cancelled {
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.cancelled(this);
    }
  }

  /** Makes the job dead without further attempts. */
  record Dead(String reason) implements Outcome {
    /**
     * Replaces a null reason with a default text.
     *
     * @param reason the reason
     */
    public Dead {
      reason = Reasons.orNone(reason);
    }

    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.dead(this);
    }
  }

  /** Ends the attempt with the outcome that a stage supplies when it completes. */
  record Async(CompletionStage<? extends @Nullable Outcome> stage) implements Outcome {
    @Override
    public <R> R accept(Cases<R> cases) {
      return cases.async(this);
    }
  }
}
