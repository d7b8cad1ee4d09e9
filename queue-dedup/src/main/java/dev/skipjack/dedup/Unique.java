package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Function;

/**
 * Defines what makes a job unique: its key, the jobs among which the key is compared, how long the
 * key is held, and what a duplicate does. Immutable: every method returns a new instance. Declare
 * one constant beside the job's type and use it for every enqueue. Two instances that differ only
 * in how long the key is held share their keys, unless one of them uses a period, and each job
 * keeps the rule that it was enqueued with.
 *
 * <pre>{@code
 * static final Unique<SyncAccount> ONE_PER_ACCOUNT = Unique.by(job -> "account-" + job.accountId());
 * }</pre>
 *
 * <p>By default, a key is compared among the jobs of its kind and held while its job is live, and a
 * duplicate changes nothing. A running job therefore still holds its key: an event that arrives
 * while the handler works on an earlier one is reported as already queued, and that handler may not
 * see it. The handler of a pending job may miss the event too, if the job starts and ends before
 * the transaction that brings the event commits. Use {@link #untilStarted()} in these cases.
 *
 * @param <T> the payload
 */
public final class Unique<T> {

  private final KeySource<T> source;
  private final Scope scope;
  private final Hold hold;
  private final Conflict conflict;

  private Unique(KeySource<T> source, Scope scope, Hold hold, Conflict conflict) {
    this.source = source;
    this.scope = scope;
    this.hold = hold;
    this.conflict = conflict;
  }

  private static <T> Unique<T> from(KeySource<T> source) {
    return new Unique<>(source, Scope.KIND, new Hold.ByJob(UniqueUntil.DEAD), Conflict.KEEP);
  }

  /**
   * Makes jobs unique by a key that is computed from the payload.
   *
   * @param key returns 1 to 1,000,000 characters, without NUL or lone surrogates; keys of more than
   *     200 bytes are stored hashed. Any other result, including null, is rejected with an {@link
   *     IllegalArgumentException} when a job is enqueued.
   */
  public static <T> Unique<T> by(Function<T, String> key) {
    return from((kind, payload, json) -> key.apply(payload));
  }

  /** Like {@link #by}, with the same key for every payload, so that at most one job exists. */
  public static <T> Unique<T> byKey(String key) {
    return from((kind, payload, json) -> key);
  }

  /**
   * Makes jobs unique by some fields of the payload. The key is the text of {@code
   * jsonb_build_array(...)} over them: {@code ["de", 42]}.
   *
   * <pre>{@code Unique.byFields(SendWelcome::locale, SendWelcome::userId) }</pre>
   *
   * @param first returns a String, Boolean, integer, BigDecimal, UUID, LocalDate or enum constant
   *     (whose name is used). Any other value is rejected with an {@link IllegalArgumentException}
   *     when a job is enqueued; so is null, because two unknown values are not equal. Decimals of
   *     different scale differ.
   */
  @SafeVarargs
  public static <T> Unique<T> byFields(
      Function<? super T, ?> first, Function<? super T, ?>... more) {
    List<Function<? super T, ?>> fields = new ArrayList<>();
    fields.add(first);
    for (Function<? super T, ?> field : more) {
      fields.add(field);
    }
    return from(KeySource.ofFields(fields));
  }

  /**
   * Makes jobs unique by the whole payload as it is stored: the text of its {@code jsonb}.
   * Differences in formatting, such as the order of names, do not matter, but {@code 1.5} and
   * {@code 1.50} differ. A text of more than 1,000,000 characters, which the default payload limit
   * does not allow, is replaced by {@code sha256:} and its hash, so it matches no key that is given
   * in SQL.
   */
  public static <T> Unique<T> byPayload() {
    return from((kind, payload, json) -> CanonicalJson.key(json));
  }

  /** Compares the key among the jobs of one kind. This is the default. */
  public Unique<T> withinKind() {
    return new Unique<>(source, Scope.KIND, hold, conflict);
  }

  /** Compares the key among the jobs of any kind that are enqueued into one queue. */
  public Unique<T> withinQueue() {
    return new Unique<>(source, Scope.QUEUE, hold, conflict);
  }

  /** Compares the key among all jobs whose keys are global. */
  public Unique<T> global() {
    return new Unique<>(source, Scope.GLOBAL, hold, conflict);
  }

  /**
   * Holds the key until the job is claimed for the first time, so that at most one job of the key
   * waits for its first start. This suits jobs that bring something up to date: an event that
   * arrives while one job runs creates the next one, so two may run at once. In a caller's
   * transaction, a job that is reported as {@link dev.skipjack.api.HolderStatus#PENDING} is not
   * claimed before that transaction ends, so it sees what the transaction commits. If such
   * transactions overlap and the job has been due for a second, later requests create a second job,
   * so that the first can start. Up to five jobs of a key may then wait.
   */
  public Unique<T> untilStarted() {
    return held(new Hold.ByJob(UniqueUntil.STARTED));
  }

  /** Holds the key until the job completes, is cancelled or dies. This is the default. */
  public Unique<T> whileLive() {
    return held(new Hold.ByJob(UniqueUntil.DEAD));
  }

  /** Holds the key until the job completes, is cancelled or is pruned: a dead job keeps its key. */
  public Unique<T> whileLiveOrDead() {
    return held(new Hold.ByJob(UniqueUntil.ENDED));
  }

  /**
   * Holds the key for a fixed time from the enqueue, regardless of the job's outcome: at most one
   * enqueue per period. When the period has ended the key is free, even if its job still waits.
   *
   * @param length longer than zero, at most {@link EnqueueOptions#LONGEST_DELAY}, by the database's
   *     clock
   */
  public Unique<T> perPeriod(Duration length) {
    if (length.isNegative()
        || length.isZero()
        || length.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Period %s of a unique key must be positive and at most %d days."
              .formatted(length, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return held(new Hold.ForPeriod(length));
  }

  private Unique<T> held(Hold hold) {
    return new Unique<>(source, scope, hold, conflict);
  }

  /** Lets duplicates change nothing. This is the default. */
  public Unique<T> keepExisting() {
    return new Unique<>(source, scope, hold, Conflict.KEEP);
  }

  /** Like {@link #replace(JobPart, JobPart...)} with all parts. */
  public Unique<T> replace() {
    return replacing(EnumSet.allOf(JobPart.class));
  }

  /**
   * Lets a duplicate change the job that holds the key if that job is pending, has not used an
   * attempt, and is of the same kind. Any other job is left unchanged, and the result reports its
   * status.
   */
  public Unique<T> replace(JobPart first, JobPart... more) {
    return replacing(EnumSet.of(first, more));
  }

  private Unique<T> replacing(EnumSet<JobPart> parts) {
    return new Unique<>(source, scope, hold, new Conflict(parts, null, null));
  }

  /**
   * Debounces: the job becomes due when no duplicate has arrived for {@code quiet}, with the
   * payload of the last one. Each duplicate postpones the job if it is pending, has not used an
   * attempt, and is of the same kind. A job that was started before and then snoozed, released or
   * redriven gets the payload and keeps its due time. Options cannot set another due time.
   *
   * @param quiet longer than zero
   * @param maxWait the longest time from the first enqueue until the job is due; not shorter than
   *     {@code quiet}, at most {@link EnqueueOptions#LONGEST_DELAY}
   */
  public Unique<T> debounce(Duration quiet, Duration maxWait) {
    if (quiet.isNegative()
        || quiet.isZero()
        || maxWait.compareTo(quiet) < 0
        || maxWait.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Cannot debounce with quiet %s and maxWait %s: quiet must be positive, and maxWait at least as long as quiet and at most %d days."
              .formatted(quiet, maxWait, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return new Unique<>(
        source,
        scope,
        hold,
        new Conflict(EnumSet.of(JobPart.PAYLOAD, JobPart.SCHEDULE), quiet, maxWait));
  }

  /** Returns the job with its key and, if it is debounced, its due time. */
  NewJob apply(NewJob draft, T payload) {
    Duration quiet = conflict.quiet();
    NewJob due = draft;
    if (quiet != null) {
      Instant at = draft.scheduledAt();
      if (at != null || !draft.delay().isZero()) {
        throw new IllegalArgumentException(
            "A job of kind '%s' is debounced and also has a due time in its options. Remove one of the two."
                .formatted(draft.kind()));
      }
      due = draft.delayed(quiet);
    }
    return UniqueKeys.give(due, scope, hold, source.keyOf(draft.kind(), payload, draft.payload()));
  }

  Hold hold() {
    return hold;
  }

  Conflict conflict() {
    return conflict;
  }
}
