package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.api.spi.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records where the handlers are whose attempt has run for long. It begins when there is such an
 * attempt, and has a thread of its own, because the user's {@link ErrorRedactor} may hang.
 *
 * <p>Only a sample that differs from the one before is written, and what was written is removed
 * after the attempt.
 */
final class StackSampler implements Loop.Step {

  static final String ROLE = "sampler";

  /** The maximum number of samples in a run, so that thousands of long attempts cost no more. */
  static final int MOST = 20;

  /**
   * When attempts are sampled.
   *
   * @param after how long an attempt must have run
   * @param every the minimum time between two samples of an attempt
   */
  record Pace(Duration after, Duration every) {

    static final Pace STANDARD = new Pace(Duration.ofMinutes(1), Duration.ofSeconds(30));
  }

  /**
   * The last sample of an attempt.
   *
   * @param at the nanoTime
   * @param hash of its text, which is up to 8 kB long
   */
  private record Last(long at, int hash) {}

  private final WorkerRegistry registry;
  private final RunningJobs running;
  private final Redaction redaction;
  private final Pace pace;
  private final Reporter reporter;
  private final LongSupplier clock;
  private final Map<ExecutionId, Last> sampled = new HashMap<>();
  private boolean failing;

  /**
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   */
  StackSampler(
      WorkerRegistry registry,
      RunningJobs running,
      Redaction redaction,
      Pace pace,
      Reporter reporter,
      LongSupplier clock) {
    this.registry = registry;
    this.running = running;
    this.redaction = redaction;
    this.pace = pace;
    this.reporter = reporter;
    this.clock = clock;
  }

  /** Returns whether there is an attempt to sample. May be called by any thread. */
  boolean isNeeded() {
    long now = clock.getAsLong();
    return running.all().stream().anyMatch(attempt -> isLong(attempt, now));
  }

  private boolean isLong(Attempt attempt, long now) {
    return attempt.isRunning() && now - attempt.begunAt() >= pace.after().toNanos();
  }

  @Override
  public long run() {
    long now = clock.getAsLong();
    List<ExecutionId> ended =
        sampled.keySet().stream().filter(execution -> !running.holds(execution)).toList();
    Map<ExecutionId, Last> latest = new HashMap<>();
    List<StackSample> changed = new ArrayList<>();
    for (Attempt attempt : due(now)) {
      StackSample sample = sampleOf(attempt);
      if (sample != null) {
        ExecutionId execution = attempt.execution().id();
        Last last = new Last(now, Objects.hash(sample.stack(), sample.problem()));
        Last before = sampled.get(execution);
        latest.put(execution, last);
        if (before == null || before.hash() != last.hash()) {
          changed.add(sample);
        }
      }
    }
    if ((changed.isEmpty() && ended.isEmpty()) || record(changed, ended)) {
      sampled.putAll(latest);
      ended.forEach(sampled::remove);
    }
    return pace.every().toNanos() / 3;
  }

  /** Returns the attempts to sample: those first whose sample is the oldest. */
  private List<Attempt> due(long now) {
    return running.all().stream()
        .filter(attempt -> isLong(attempt, now))
        .filter(attempt -> age(attempt, now) >= pace.every().toNanos())
        .sorted(Comparator.comparingLong((Attempt attempt) -> age(attempt, now)).reversed())
        .limit(MOST)
        .toList();
  }

  /** Returns how many nanoseconds ago an attempt was sampled. */
  private long age(Attempt attempt, long now) {
    Last last = sampled.get(attempt.execution().id());
    return last == null ? Long.MAX_VALUE : now - last.at();
  }

  /** Returns a sample, or null if the attempt has ended meanwhile. */
  private @Nullable StackSample sampleOf(Attempt attempt) {
    try {
      Thread thread = attempt.handlerThread();
      String text = thread == null ? null : HandlerFrames.text(thread.getStackTrace());
      if (!attempt.isRunBy(thread)) {
        return null; // the frames may be those of another job
      }
      if (thread == null) {
        return unknown(
            attempt,
            "The handler has returned a stage. No thread of the worker runs it, so it has no stack.");
      }
      return text == null || text.isEmpty()
          ? unknown(attempt, "The JVM returned no frames of the handler's thread.")
          : new StackSample(attempt.execution(), redaction.of(text), null);
    } catch (Throwable failure) {
      return unknown(
          attempt, "The stack could not be sampled: " + failure.getClass().getName() + ".");
    }
  }

  private static StackSample unknown(Attempt attempt, String problem) {
    return new StackSample(attempt.execution(), null, problem);
  }

  /** Writes samples. If that fails, they are taken again when they are due. */
  private boolean record(List<StackSample> changed, List<ExecutionId> ended) {
    try {
      registry.recordStacks(changed, ended);
      failing = false;
      return true;
    } catch (StoreException failure) {
      if (!failing && !DatabaseWatch.isAway(failure)) {
        reporter.stacksNotRecorded(failure);
      }
      failing = true;
      return false;
    }
  }

  /** Returns false, because a failure to write samples is no sign of an unavailable database. */
  @Override
  public boolean asked() {
    return false;
  }
}
