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
 * What makes a job unique: its key, among which jobs the key is compared, how long it is held, and
 * what a duplicate does. Immutable: every method answers a new one. Declare one constant beside the
 * job's type, and use it for every enqueue: two that differ in how long a key is held, but for a
 * period, share their keys all the same, and each job keeps what it was enqueued with.
 *
 * <pre>{@code
 * static final Unique<SyncAccount> ONE_PER_ACCOUNT = Unique.by(job -> "account-" + job.accountId());
 * }</pre>
 *
 * <p>Unless said otherwise a key counts among the jobs of its kind, is held while its job is live,
 * and a duplicate changes nothing. A job that is running still holds its key then: an event that
 * arrives while the handler works on an earlier one is answered as already queued, and that handler
 * may not see it. Nor may one of a job that was pending, if it starts and ends before the
 * transaction that brings the event commits. {@link #untilStarted()} is for those.
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
   * By a key that is made of the payload.
   *
   * @param key answers 1 to 1,000,000 characters, without NUL and lone surrogates; keys of more
   *     than 200 bytes are stored hashed. Another answer, also null, is refused with an {@link
   *     IllegalArgumentException} when a job is enqueued.
   */
  public static <T> Unique<T> by(Function<T, String> key) {
    return from((kind, payload, json) -> key.apply(payload));
  }

  /** By one key for every payload, as {@link #by}: at most one job at all. */
  public static <T> Unique<T> byKey(String key) {
    return from((kind, payload, json) -> key);
  }

  /**
   * By some fields of the payload. Their key is the text of {@code jsonb_build_array(...)} over
   * them: {@code ["de", 42]}.
   *
   * <pre>{@code Unique.byFields(SendWelcome::locale, SendWelcome::userId) }</pre>
   *
   * @param first answers a String, Boolean, integer, BigDecimal, UUID, LocalDate or enum constant
   *     (its name); null, because two unknown values are not the same one, and any other value are
   *     refused with an {@link IllegalArgumentException} when a job is enqueued. Decimals of
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
   * By the whole payload as it is stored: the text of its {@code jsonb}. Spelling does not count,
   * the order of names for instance, but {@code 1.5} and {@code 1.50} differ. A text of more than
   * 1,000,000 characters, which the default payload limit does not allow, is replaced by {@code
   * sha256:} and its hash, so no key that is given in SQL meets it.
   */
  public static <T> Unique<T> byPayload() {
    return from((kind, payload, json) -> CanonicalJson.key(json));
  }

  /** This, compared among the jobs of one kind. The default. */
  public Unique<T> withinKind() {
    return new Unique<>(source, Scope.KIND, hold, conflict);
  }

  /** This, compared among the jobs that are enqueued into one queue, of whatever kind. */
  public Unique<T> withinQueue() {
    return new Unique<>(source, Scope.QUEUE, hold, conflict);
  }

  /** This, compared among all jobs whose keys are global. */
  public Unique<T> global() {
    return new Unique<>(source, Scope.GLOBAL, hold, conflict);
  }

  /**
   * This, held until the job is claimed for the first time: at most one job of the key has never
   * started. For jobs that bring something up to date: an event that comes while one runs makes the
   * next one, so two may run at once. In a caller's transaction, a job that is answered as {@link
   * dev.skipjack.api.HolderStatus#PENDING} is not claimed before that transaction ends, so it sees
   * what is committed with it. If such transactions overlap and the job has been due for a second,
   * later requests create one next job, so that the first can start: two wait then.
   */
  public Unique<T> untilStarted() {
    return held(new Hold.ByJob(UniqueUntil.STARTED));
  }

  /** This, held until the job completes, is cancelled or dies. The default. */
  public Unique<T> whileLive() {
    return held(new Hold.ByJob(UniqueUntil.DEAD));
  }

  /** This, held until the job completes, is cancelled or pruned: a dead job keeps its key. */
  public Unique<T> whileLiveOrDead() {
    return held(new Hold.ByJob(UniqueUntil.ENDED));
  }

  /**
   * This, held for a time from the enqueue on, whatever becomes of the job: at most one enqueue in
   * a period. When the period is over the key is free, even if its job still waits.
   *
   * @param length longer than zero, at most {@link EnqueueOptions#LONGEST_DELAY}, by the database's
   *     clock
   */
  public Unique<T> perPeriod(Duration length) {
    if (length.isNegative()
        || length.isZero()
        || length.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "A unique key cannot be held for %s; give more than zero and at most %d days."
              .formatted(length, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return held(new Hold.ForPeriod(length));
  }

  private Unique<T> held(Hold hold) {
    return new Unique<>(source, scope, hold, conflict);
  }

  /** This, with duplicates that change nothing. The default. */
  public Unique<T> keepExisting() {
    return new Unique<>(source, scope, hold, Conflict.KEEP);
  }

  /** As {@link #replace(JobPart, JobPart...)} of everything that can be. */
  public Unique<T> replace() {
    return replacing(EnumSet.allOf(JobPart.class));
  }

  /**
   * This, with duplicates that change the job which holds the key, if it is pending, has not used
   * an attempt, and is of their kind. Any other is left alone, and the result tells its status.
   */
  public Unique<T> replace(JobPart first, JobPart... more) {
    return replacing(EnumSet.of(first, more));
  }

  private Unique<T> replacing(EnumSet<JobPart> parts) {
    return new Unique<>(source, scope, hold, new Conflict(parts, null, null));
  }

  /**
   * This, due when no duplicate has come for {@code quiet}, with the payload of the last one: each
   * duplicate moves the job, if it is pending, has not used an attempt, and is of their kind. One
   * that has been started before, and then snoozed, released or redriven, gets the payload and
   * keeps its due time. Options cannot give another due time.
   *
   * @param quiet longer than zero
   * @param maxWait after which time since the first enqueue the job is due at the latest; not
   *     shorter than {@code quiet}, at most {@link EnqueueOptions#LONGEST_DELAY}
   */
  public Unique<T> debounce(Duration quiet, Duration maxWait) {
    if (quiet.isNegative()
        || quiet.isZero()
        || maxWait.compareTo(quiet) < 0
        || maxWait.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Cannot debounce for %s, at most %s; give more than zero, and no less and at most %d days."
              .formatted(quiet, maxWait, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return new Unique<>(
        source,
        scope,
        hold,
        new Conflict(EnumSet.of(JobPart.PAYLOAD, JobPart.SCHEDULE), quiet, maxWait));
  }

  /** The job with its key and, if it is debounced, its due time. */
  NewJob apply(NewJob draft, T payload) {
    Duration quiet = conflict.quiet();
    NewJob due = draft;
    if (quiet != null) {
      Instant at = draft.scheduledAt();
      if (at != null || !draft.delay().isZero()) {
        throw new IllegalArgumentException(
            "A job of kind '%s' is debounced and has a due time of its own. Give it one of them."
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
