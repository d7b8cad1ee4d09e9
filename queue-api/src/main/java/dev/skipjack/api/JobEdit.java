package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Changes to a waiting job; parts that are not set stay the same. Immutable: every method returns a
 * new instance.
 */
public final class JobEdit {

  private static final JobEdit NOTHING =
      new JobEdit(OptionalInt.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private final OptionalInt priority;
  private final Optional<Instant> scheduledAt;
  private final Optional<Duration> delay;
  private final Optional<Object> payload;

  private JobEdit(
      OptionalInt priority,
      Optional<Instant> scheduledAt,
      Optional<Duration> delay,
      Optional<Object> payload) {
    this.priority = priority;
    this.scheduledAt = scheduledAt;
    this.delay = delay;
    this.payload = payload;
  }

  /** An edit without changes. */
  public static JobEdit nothing() {
    return NOTHING;
  }

  /** Sets the priority, -100 to 100. */
  public JobEdit priority(int priority) {
    return new JobEdit(OptionalInt.of(Limits.priority(priority)), scheduledAt, delay, payload);
  }

  /**
   * Makes the job due at {@code instant}; a past instant means now. Replaces {@link
   * #delay(Duration)}.
   */
  public JobEdit at(Instant instant) {
    return new JobEdit(
        priority, Optional.of(Limits.scheduledAt(instant)), Optional.empty(), payload);
  }

  /**
   * Makes the job due {@code delay} after the edit, by the database's clock. Replaces {@link #at}.
   */
  public JobEdit delay(Duration delay) {
    return new JobEdit(priority, Optional.empty(), Optional.of(Limits.delay(delay)), payload);
  }

  /** Sets the payload, an instance of the payload class of the job's type. */
  public JobEdit payload(Object payload) {
    return new JobEdit(priority, scheduledAt, delay, Optional.of(payload));
  }

  /** The new priority; empty if it does not change. */
  public OptionalInt priority() {
    return priority;
  }

  /** The new due time; empty if none was set. */
  public Optional<Instant> scheduledAt() {
    return scheduledAt;
  }

  /** The new delay; empty if none was set. */
  public Optional<Duration> delay() {
    return delay;
  }

  /** The new payload; empty if it does not change. */
  public Optional<Object> payload() {
    return payload;
  }
}
