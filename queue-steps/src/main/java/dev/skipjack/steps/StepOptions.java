package dev.skipjack.steps;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.util.function.Function;

/**
 * How a step is retried and undone. Immutable.
 *
 * @param <T> the type of the step's result
 */
public final class StepOptions<T> {

  private StepOptions() {}

  /**
   * {@return options with a job that undoes the step} The job is stored with the memo. It is
   * enqueued if the job of the step becomes dead or is cancelled, after the undos of later steps
   * have completed. A worker does not need the code of the step for this.
   *
   * @param <T> the type of the step's result
   * @param <P> the type of the payload
   * @param type the type of the job
   * @param payload returns the job's payload for the result of the step
   */
  public static <T, P> StepOptions<T> undo(
      JobType<P> type, Function<? super T, ? extends P> payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return options that repeat the step within the attempt} The thread waits between two tries.
   * Other failures of the handler and the last failure of the step fail the attempt, as usual.
   *
   * @param <T> the type of the step's result
   * @param tries the maximum number of tries in one attempt of the job, 2 to 100
   * @param backoff the wait between two tries, at most 60 seconds
   * @throws IllegalArgumentException if {@code tries} is out of range
   */
  public static <T> StepOptions<T> retry(int tries, Backoff backoff) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return these options with retries, as for {@link #retry}}
   *
   * @param tries the maximum number of tries
   * @param backoff the wait between two tries
   */
  public StepOptions<T> andRetry(int tries, Backoff backoff) {
    throw new UnsupportedOperationException();
  }
}
