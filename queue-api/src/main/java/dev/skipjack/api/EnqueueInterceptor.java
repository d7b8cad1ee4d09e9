package dev.skipjack.api;

import dev.skipjack.api.spi.NewJob;
import java.util.List;

/**
 * Stands around every enqueue of a queue: adds a trace or tags to jobs, counts, refuses.
 *
 * <pre>{@code
 * JobQueue.builder(dataSource)
 *     .interceptor((jobs, next) -> next.enqueue(jobs.stream().map(job -> job.traced(current())).toList()))
 *     .build();
 * }</pre>
 *
 * <p>It is called once for a call of an enqueuer, with all its jobs, after whatever is wrong with
 * the arguments was refused; for unique jobs too. What it passes on is what is written. It may
 * change a job by the methods of {@link NewJob}, and must keep the number of jobs, their order and
 * their keys, because the results are told apart by their places.
 *
 * <p>Where the enqueue has a transaction of its own, that begins within {@code next}, which returns
 * after the commit: whatever the interceptor throws afterwards undoes nothing. In a caller's
 * transaction {@code next} returns before the commit, and the caller may roll back still.
 *
 * <p>Called in the thread of the caller, so by any number of threads at once. What it throws
 * reaches the caller as it is; if it throws before {@code next}, nothing is written, and a caller's
 * transaction stays usable. What {@code next} throws is the caller's, too: pass it on. An
 * interceptor that does not call {@code next} has to answer for each job all the same.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

  /**
   * Enqueues {@code jobs} by way of {@code next}.
   *
   * @param jobs at least one
   * @return what became of each, in their order
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs, Next next);

  /** The next interceptor, or the write. */
  @FunctionalInterface
  interface Next {

    /**
     * Goes on with {@code jobs}. May be called again after it threw, to try again for instance, and
     * not after it answered.
     *
     * @return what became of each, in their order
     * @throws IllegalStateException before any SQL, if these are not as many jobs as came in, in
     *     the same order and with the same keys, or if it has answered before
     */
    List<EnqueueResult> enqueue(List<NewJob> jobs);
  }
}
