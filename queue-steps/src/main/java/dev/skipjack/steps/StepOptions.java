package dev.skipjack.steps;

import static java.util.Objects.requireNonNull;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a step is retried and undone. Immutable.
 *
 * @param <T> the type of the step's result
 */
public final class StepOptions<T> {

  private static final int MOST_TRIES = 100;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final @Nullable BiFunction<JobFactory, T, NewJob> undo;
  private final int tries;
  private final Backoff backoff;

  private StepOptions(
      @Nullable BiFunction<JobFactory, T, NewJob> undo, int tries, Backoff backoff) {
    this.undo = undo;
    this.tries = tries;
    this.backoff = backoff;
  }

  /** Returns options without retries and undo. */
  static <T> StepOptions<T> none() {
    return new StepOptions<>(null, 1, Backoff.standard());
  }

  /**
   * {@return options with a job that undoes the step} The job is stored with the memo. It is
   * enqueued if the job of the step becomes dead or is cancelled, and it runs after the undos of
   * later steps have completed. Its code need not be in the worker that finds this out. The queue,
   * the maximum number of attempts and the payload version are those of its type.
   *
   * @param <T> the type of the step's result
   * @param <P> the type of the payload
   * @param type the type of the job
   * @param payload returns the job's payload for the result of the step
   */
  public static <T, P> StepOptions<T> undo(
      JobType<P> type, Function<? super T, ? extends P> payload) {
    requireNonNull(type, "type");
    requireNonNull(payload, "payload");
    return new StepOptions<>(
        (jobs, result) -> jobs.create(type, payload.apply(result), UnaryOperator.identity()),
        1,
        Backoff.standard());
  }

  /**
   * {@return options that repeat the step within the attempt} The thread waits between two tries.
   * The last failure of the step fails the attempt, as usual.
   *
   * @param <T> the type of the step's result
   * @param tries the maximum number of tries in one attempt of the job, 2 to 100
   * @param backoff the wait between two tries; a longer one than 60 seconds is shortened to that
   * @throws IllegalArgumentException if {@code tries} is out of range
   */
  public static <T> StepOptions<T> retry(int tries, Backoff backoff) {
    return StepOptions.<T>none().andRetry(tries, backoff);
  }

  /**
   * {@return these options with retries, as for {@link #retry}}
   *
   * @param tries the maximum number of tries
   * @param backoff the wait between two tries
   * @throws IllegalArgumentException if {@code tries} is out of range
   */
  public StepOptions<T> andRetry(int tries, Backoff backoff) {
    if (tries < 2 || tries > MOST_TRIES) {
      throw new IllegalArgumentException(
          "Tries %d of a step must be 2 to %d.".formatted(tries, MOST_TRIES));
    }
    return new StepOptions<>(undo, tries, requireNonNull(backoff, "backoff"));
  }

  /** Returns the job that undoes the step, or null. */
  @Nullable NewJob undoOf(JobFactory jobs, T result) {
    return undo == null ? null : undo.apply(jobs, result);
  }

  /** Runs a step, repeatedly if necessary. */
  T call(Steps.Step<T> step, String key) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return step.run(key);
      } catch (InterruptedException interrupted) {
        throw interrupted; // the attempt must end
      } catch (Exception failure) {
        if (attempt >= tries || Thread.currentThread().isInterrupted()) {
          throw failure;
        }
        Duration pause = Backoff.clamp(backoff.after(attempt, ThreadLocalRandom.current()));
        Thread.sleep((pause.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : pause).toMillis());
      }
    }
  }
}
