package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobRunner;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs as part of their enqueue, in the enqueuing thread: when the call returns, the caller
 * sees what users see some time later.
 *
 * <pre>{@code
 * InlineRuns inline = new InlineRuns();
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(inline).build();
 * inline.by(Worker.on(queue).handle(SEND_WELCOME, emails::send).queue("emails", 1).build());
 * }</pre>
 *
 * <p>Limits:
 *
 * <ul>
 *   <li>An enqueue in the caller's own transaction does not run its job, because no other
 *       connection sees it before the commit; call {@link #run()} after it. Other due jobs are run
 *       even then, and one that needs a row locked by the transaction would wait forever, so leave
 *       none behind.
 *   <li>A failed attempt does not fail the enqueue. The job waits for its retry. A job that was
 *       enqueued with a delay waits for its due time. Continue with {@link JobRuns}.
 *   <li>A job stays pending if the runner has no handler for it or does not serve its queue.
 *   <li>It runs everything that is due, not only the new job.
 *   <li>Jobs that a handler enqueues run after the handler, not within it. A handler must not wait
 *       for another thread that enqueues: that one waits for the handler.
 * </ul>
 *
 * <p>Safe for any number of threads, whose jobs run one after the other.
 */
public final class InlineRuns implements EnqueueInterceptor {

  private volatile @Nullable JobRunner runner;
  private final ThreadLocal<Boolean> runs = ThreadLocal.withInitial(() -> false);

  /** Creates an instance without a runner; {@link #by} sets it. */
  public InlineRuns() {}

  /**
   * Runs jobs with {@code runner} from now on.
   *
   * @param runner a worker that is never started
   * @return this
   */
  public InlineRuns by(JobRunner runner) {
    this.runner = runner;
    return this;
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, Next next) {
    requireRunner();
    List<EnqueueResult> results = next.enqueue(jobs);
    run();
    return results;
  }

  /** Runs all due jobs, unless this thread is already doing so. */
  public void run() {
    JobRunner current = requireRunner();
    if (runs.get()) {
      return;
    }
    runs.set(true);
    try {
      current.runUntilIdle();
    } finally {
      runs.remove();
    }
  }

  private JobRunner requireRunner() {
    JobRunner current = runner;
    if (current == null) {
      throw new IllegalStateException(
          "There is no runner. Call by(worker) before the first enqueue.");
    }
    return current;
  }
}
