package dev.skipjack.api;

import dev.skipjack.api.spi.NewJob;
import java.util.List;

/**
 * Intercepts every call that enqueues jobs in a queue, for example to add tags or a trace to jobs,
 * to count them, or to reject them.
 *
 * <pre>{@code
 * JobQueue.builder(dataSource)
 *     .interceptor((jobs, next) -> next.enqueue(jobs.stream().map(job -> job.traced(current())).toList()))
 *     .build();
 * }</pre>
 *
 * <p>The interceptor is called once per call to an enqueuer, after the arguments have been checked,
 * and receives all jobs of that call, including unique jobs. It is not called for the jobs that
 * schedules enqueue. The jobs that it passes to {@code next} are written. It may modify jobs
 * through the methods of {@link NewJob}, but must preserve their number, their order, their kinds
 * and their keys, because results are matched to jobs by position.
 *
 * <p>If the enqueue runs in its own transaction, {@code next} begins and commits it, so an
 * exception that the interceptor throws afterwards does not undo the enqueue. If the enqueue runs
 * in the caller's transaction, {@code next} returns before the commit, and the caller may still
 * roll back.
 *
 * <p>The interceptor is called in the caller's thread, possibly by several threads concurrently.
 * Its exceptions are propagated to the caller unchanged. If it throws before it calls {@code next},
 * nothing is written, and the caller's transaction remains usable. Exceptions thrown by {@code
 * next} are meant for the caller, so do not swallow them. An interceptor that does not call {@code
 * next} must still return a result for each job.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

  /**
   * Enqueues {@code jobs}, usually by calling {@code next}.
   *
   * @param jobs the jobs to enqueue; at least one
   * @param next continues the enqueue
   * @return the result of each job, in the order of {@code jobs}
   */
  List<EnqueueResult> enqueue(List<NewJob> jobs, Next next);

  /** Passes jobs to the next interceptor or, after the last one, writes them. */
  @FunctionalInterface
  interface Next {

    /**
     * Continues the enqueue with {@code jobs}. This method may be called again after it has thrown
     * an exception, for example to retry, but not after it has returned.
     *
     * @param jobs the jobs to write
     * @return the result of each job, in the order of {@code jobs}
     * @throws IllegalStateException if the number, order, kinds or keys of the jobs have changed,
     *     or if this method has already returned once; in either case this call sends no SQL
     */
    List<EnqueueResult> enqueue(List<NewJob> jobs);
  }
}
