package dev.skipjack.api;

import dev.skipjack.api.spi.NewJob;
import java.util.List;

/**
 * Wraps every enqueue of a queue, for example to add a trace or tags to jobs, to count them, or to
 * refuse them.
 *
 * <pre>{@code
 * JobQueue.builder(dataSource)
 *     .interceptor((jobs, next) -> next.enqueue(jobs.stream().map(job -> job.traced(current())).toList()))
 *     .build();
 * }</pre>
 *
 * <p>It is called once for each call of an enqueuer, with all its jobs, after the arguments have
 * been checked. This includes unique jobs. The jobs that it passes to {@code next} are the ones
 * that are written. It may change a job with the methods of {@link NewJob}, but must keep the
 * number of jobs, their order and their keys, because results are matched to jobs by position.
 *
 * <p>If the enqueue has a transaction of its own, that transaction starts within {@code next},
 * which returns after the commit: an exception of the interceptor after that undoes nothing. In a
 * caller's transaction {@code next} returns before the commit, and the caller may still roll back.
 *
 * <p>It is called in the caller's thread, possibly by many threads at the same time. Its exceptions
 * reach the caller unchanged; if it throws before {@code next}, nothing is written, and a caller's
 * transaction stays usable. Exceptions of {@code next} also belong to the caller: do not catch
 * them. An interceptor that does not call {@code next} must still return a result for each job.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

  /**
   * Enqueues {@code jobs} by calling {@code next}.
   *
   * @param jobs at least one
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs, Next next);

  /** The next interceptor, or the write. */
  @FunctionalInterface
  interface Next {

    /**
     * Continues with {@code jobs}. May be called again after it has thrown, for example to retry,
     * but not after it has returned.
     *
     * @return the result of each job, in the order of {@code jobs}
     * @throws IllegalStateException if the number, the order or the keys of the jobs have changed,
     *     or if this method has returned before; no SQL has been sent
     */
    List<EnqueueResult> enqueue(List<NewJob> jobs);
  }
}
