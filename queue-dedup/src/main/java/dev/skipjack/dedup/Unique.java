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
 * Defines what makes a job unique: its key, the scope within which keys are compared, how long a
 * job holds its key, and the effect of a duplicate. Instances are immutable. Methods that change a
 * property return a new instance.
 *
 * <p>Declare one constant next to the job's type and use it for every enqueue.
 *
 * <pre>{@code
 * static final Unique<SyncAccount> ONE_PER_ACCOUNT = Unique.by(job -> "account-" + job.accountId());
 * }</pre>
 *
 * <p>By default, the scope is the kind, a job holds its key while it is live, and a duplicate has
 * no effect. An enqueue therefore has no effect while the handler of an earlier job runs, even if
 * that handler has already read its data. A handler can also miss data that is committed together
 * with the enqueue, if its job was pending at the enqueue but started before the commit. Use {@link
 * #untilStarted()} in these cases.
 *
 * <p>The instance with which a job was enqueued determines how long the job holds its key. Jobs of
 * two instances that differ only in that duration can be duplicates of each other, except that the
 * keys of {@link #perPeriod} are separate.
 *
 * @param <T> the payload class
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
   * {@return a rule that makes jobs unique by a key that is computed from the payload}
   *
   * @param <T> the type of the payload
   * @param key a function that returns 1 to 1,000,000 characters, without NUL or lone surrogates;
   *     keys of more than 200 bytes are stored as a hash. Any other result, including null, is
   *     rejected with an {@link IllegalArgumentException} when a job is enqueued
   */
  public static <T> Unique<T> by(Function<T, String> key) {
    return from((kind, payload, json) -> key.apply(payload));
  }

  /**
   * {@return a rule that uses the same key for every payload, so that at most one job in the scope
   * holds it}
   *
   * @param <T> the type of the payload
   * @param key the key, subject to the same rules as the result of the function of {@link #by}
   */
  public static <T> Unique<T> byKey(String key) {
    return from((kind, payload, json) -> key);
  }

  /**
   * {@return a rule that makes jobs unique by some fields of the payload} The key is the text of a
   * {@code jsonb_build_array(...)} of their values, for example {@code ["de", 42]}.
   *
   * <pre>{@code Unique.byFields(SendWelcome::locale, SendWelcome::userId) }</pre>
   *
   * @param <T> the type of the payload
   * @param first a function that returns a String, a Boolean, an integer, a BigDecimal, a UUID, a
   *     LocalDate or an enum constant (whose name is used). Decimals with different scales are
   *     different. Any other value is rejected with an {@link IllegalArgumentException} when a job
   *     is enqueued, and so is null, because two unknown values are not equal
   * @param more functions that return the other fields, subject to the same rules
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
   * {@return a rule that makes jobs unique by their whole payload} The key is the text of the
   * payload's {@code jsonb}, so differences in formatting or in the order of names do not matter,
   * but {@code 1.5} and {@code 1.50} are different. A text of more than 1,000,000 characters, which
   * exceeds the default payload limit, is replaced with {@code sha256:} and its hash, so the key
   * does not match one that is set in SQL.
   *
   * @param <T> the type of the payload
   */
  public static <T> Unique<T> byPayload() {
    return from((kind, payload, json) -> CanonicalJson.key(json));
  }

  /**
   * Compares keys among jobs of the same kind. This is the default.
   *
   * @return a copy with this change
   */
  public Unique<T> withinKind() {
    return new Unique<>(source, Scope.KIND, hold, conflict);
  }

  /**
   * Compares keys among jobs of any kind that are enqueued into the same queue.
   *
   * @return a copy with this change
   */
  public Unique<T> withinQueue() {
    return new Unique<>(source, Scope.QUEUE, hold, conflict);
  }

  /**
   * Compares keys among all jobs that use a global key.
   *
   * @return a copy with this change
   */
  public Unique<T> global() {
    return new Unique<>(source, Scope.GLOBAL, hold, conflict);
  }

  /**
   * Holds the key until the job is claimed for the first time, so that at most one job with the key
   * is waiting for its first start. An enqueue while the job is running creates another job. The
   * two jobs may run at the same time.
   *
   * <p>If an enqueue in a caller's transaction returns an existing job as {@link
   * dev.skipjack.api.HolderStatus#PENDING}, the job is not claimed before that transaction ends, so
   * its handler sees what the transaction commits. If overlapping transactions delay the job until
   * it is one second overdue, later enqueues in callers' transactions may create a second job, so
   * that the first can start. Up to five jobs with the same key can then be waiting.
   *
   * @return a copy with this change
   */
  public Unique<T> untilStarted() {
    return held(new Hold.ByJob(UniqueUntil.STARTED));
  }

  /**
   * Holds the key until the job completes, is cancelled or becomes dead. This is the default.
   *
   * @return a copy with this change
   */
  public Unique<T> whileLive() {
    return held(new Hold.ByJob(UniqueUntil.DEAD));
  }

  /**
   * Holds the key until the job completes, is cancelled or is pruned. A dead job keeps its key.
   *
   * @return a copy with this change
   */
  public Unique<T> whileLiveOrDead() {
    return held(new Hold.ByJob(UniqueUntil.ENDED));
  }

  /**
   * Holds the key for a fixed period after the enqueue, regardless of the job's outcome, so that at
   * most one job is enqueued per period. The key is released at the end of the period, even if the
   * job is still waiting.
   *
   * @param length the length of the period by the database clock; positive and at most {@link
   *     EnqueueOptions#LONGEST_DELAY}
   * @return a copy with this change
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

  /**
   * Leaves the existing job unchanged when a duplicate is enqueued. This is the default.
   *
   * @return a copy with this change
   */
  public Unique<T> keepExisting() {
    return new Unique<>(source, scope, hold, Conflict.KEEP);
  }

  /**
   * Lets a duplicate change the payload, priority and due time of the job that holds the key, under
   * the conditions of {@link #replace(JobPart, JobPart...)}.
   *
   * @return a copy with this change
   */
  public Unique<T> replace() {
    return replacing(EnumSet.allOf(JobPart.class));
  }

  /**
   * Lets a duplicate change the given parts of the job that holds the key, provided that the job is
   * pending or waits for its ordering key, has not used an attempt, and is of the same kind. Any
   * other job is left unchanged, and the result contains its status.
   *
   * @param first a part that duplicates change
   * @param more further parts that duplicates change
   * @return a copy with this change
   */
  public Unique<T> replace(JobPart first, JobPart... more) {
    return replacing(EnumSet.of(first, more));
  }

  private Unique<T> replacing(EnumSet<JobPart> parts) {
    return new Unique<>(source, scope, hold, new Conflict(parts, null, null));
  }

  /**
   * Debounces the job: it becomes due when no duplicate has arrived for the duration {@code quiet}
   * or {@code maxWait} has passed, and runs with the payload of the last duplicate. Each duplicate
   * postpones the job, provided that the job is pending or waits for its ordering key, has not used
   * an attempt, and is of the same kind. If the job has been started before and was then snoozed,
   * released or redriven, a duplicate replaces its payload but not its due time. An enqueue whose
   * options set a due time is rejected with an {@link IllegalArgumentException}.
   *
   * @param quiet how long the job waits for further duplicates; positive
   * @param maxWait the maximum time from the first enqueue until the job is due; at least {@code
   *     quiet} and at most {@link EnqueueOptions#LONGEST_DELAY}
   * @return a copy with this change
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
