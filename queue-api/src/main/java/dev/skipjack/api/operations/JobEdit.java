package dev.skipjack.api.operations;

import dev.skipjack.api.spi.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Changes to apply to a job that is not running. Properties that are not set remain unchanged.
 * Instances are immutable; methods that set a property return a new instance.
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

  /** {@return an edit without changes} */
  public static JobEdit nothing() {
    return NOTHING;
  }

  /**
   * Sets the priority.
   *
   * @param priority the priority, from -100 (lowest) to 100
   * @return a copy with this change
   */
  public JobEdit priority(int priority) {
    return new JobEdit(OptionalInt.of(Limits.priority(priority)), scheduledAt, delay, payload);
  }

  /**
   * Sets the due time. An instant in the past makes the job due immediately. Overrides an earlier
   * {@link #delay(Duration)}.
   *
   * @param instant the new due time, at most {@link dev.skipjack.api.EnqueueOptions#LATEST}
   * @return a copy with this change
   */
  public JobEdit at(Instant instant) {
    return new JobEdit(
        priority, Optional.of(Limits.scheduledAt(instant)), Optional.empty(), payload);
  }

  /**
   * Makes the job due {@code delay} after the edit, measured by the database clock. Overrides an
   * earlier {@link #at}.
   *
   * @param delay the time from the edit until the job is due, from zero, which makes it due
   *     immediately, to {@link dev.skipjack.api.EnqueueOptions#LONGEST_DELAY}
   * @return a copy with this change
   * @throws IllegalArgumentException if {@code delay} is not in this range
   */
  public JobEdit delay(Duration delay) {
    return new JobEdit(priority, Optional.empty(), Optional.of(Limits.delay(delay)), payload);
  }

  /**
   * Sets the payload, which must be an instance of the payload class of the job's type.
   *
   * @param payload the payload
   * @return a copy with this change
   */
  public JobEdit payload(Object payload) {
    return new JobEdit(priority, scheduledAt, delay, Optional.of(payload));
  }

  /** {@return the new priority, or empty if it does not change} */
  public OptionalInt priority() {
    return priority;
  }

  /** {@return the new due time, or empty if none was set} */
  public Optional<Instant> scheduledAt() {
    return scheduledAt;
  }

  /** {@return the new delay, or empty if none was set} */
  public Optional<Duration> delay() {
    return delay;
  }

  /** {@return the new payload, or empty if it does not change} */
  public Optional<Object> payload() {
    return payload;
  }
}
