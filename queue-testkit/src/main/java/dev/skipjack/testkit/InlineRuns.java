package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobRunner;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs when they are enqueued, in the enqueuing thread, so that a test sees their effects as
 * soon as the enqueue returns.
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
 *   <li>An enqueue in the caller's own transaction does not run its job, because other connections
 *       cannot see the job before the commit. Call {@link #run()} after the commit. The enqueue
 *       does run other jobs that are already due. Make sure that there are none, because a job that
 *       needs a row that the transaction has locked would wait forever.
 *   <li>A failed attempt does not make the enqueue fail; the job waits for its retry. A job that
 *       was enqueued with a delay waits for its due time. Use {@link JobRuns} to run such jobs.
 *   <li>A job stays pending if the runner has no handler for it or does not serve its queue.
 *   <li>An enqueue runs all due jobs, not only the new one.
 *   <li>A job that is enqueued by a handler runs after that handler has returned. A handler must
 *       not wait for another thread that enqueues jobs, because that thread waits for the handler.
 * </ul>
 *
 * <p>Instances are thread-safe. Jobs of different threads run one after another.
 */
public final class InlineRuns implements EnqueueInterceptor {

  private volatile @Nullable JobRunner runner;
  private final ThreadLocal<Boolean> runs = ThreadLocal.withInitial(() -> false);

  /** Creates an instance without a runner. Use {@link #by} to set one. */
  public InlineRuns() {}

  /**
   * Sets the runner that runs the jobs.
   *
   * @param runner the runner, usually a worker that is never started
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

  /** Runs all due jobs, unless the current thread is already doing so. */
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
