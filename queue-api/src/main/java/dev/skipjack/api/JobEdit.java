package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What to change about a waiting job; what is not set stays. Immutable: every method answers a new
 * one.
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

  /** Changes nothing yet. */
  public static JobEdit nothing() {
    return NOTHING;
  }

  /** A new priority: -100 to 100. */
  public JobEdit priority(int priority) {
    return new JobEdit(OptionalInt.of(Limits.priority(priority)), scheduledAt, delay, payload);
  }

  /** Due at {@code instant}; one in the past means now. Replaces {@link #delay(Duration)}. */
  public JobEdit at(Instant instant) {
    return new JobEdit(
        priority, Optional.of(Limits.scheduledAt(instant)), Optional.empty(), payload);
  }

  /** Due {@code delay} after the edit, by the database's clock. Replaces {@link #at}. */
  public JobEdit delay(Duration delay) {
    return new JobEdit(priority, Optional.empty(), Optional.of(Limits.delay(delay)), payload);
  }

  /** A new payload, of the class that the job's type has. */
  public JobEdit payload(Object payload) {
    return new JobEdit(priority, scheduledAt, delay, Optional.of(payload));
  }

  /** The priority, if it is to change. */
  public OptionalInt priority() {
    return priority;
  }

  /** The instant, if it is to change to one. */
  public Optional<Instant> scheduledAt() {
    return scheduledAt;
  }

  /** The delay, if the job is to be due after one. */
  public Optional<Duration> delay() {
    return delay;
  }

  /** The payload, if it is to change. */
  public Optional<Object> payload() {
    return payload;
  }
}
