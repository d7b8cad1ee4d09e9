package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobRunner;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs as part of their enqueue, in the thread that enqueues: what the caller sees when the
 * call returns, is what users see some time later.
 *
 * <pre>{@code
 * InlineRuns inline = new InlineRuns();
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(inline).build();
 * inline.by(Worker.on(queue).handle(SEND_WELCOME, emails::send).queue("emails", 1).build());
 * }</pre>
 *
 * <p>What it does not do:
 *
 * <ul>
 *   <li>An enqueue in the caller's own transaction does not run its job, because no other
 *       connection sees it before the commit; call {@link #run()} after it. Other due jobs are run
 *       even then, and one that needs a row which the transaction holds would wait for ever: have
 *       none left over.
 *   <li>A failed attempt does not fail the enqueue. The job waits for its retry, as one that was
 *       enqueued with a delay waits for its time; {@link JobRuns} goes on from there.
 *   <li>A job that the runner does not take, for want of a handler or of its queue, stays pending.
 *   <li>It runs everything that is due, not the new job alone.
 *   <li>Jobs that a handler enqueues run after the handler, not within it. A handler must not wait
 *       for another thread that enqueues: that one waits for the handler.
 * </ul>
 *
 * <p>Safe for any number of threads, whose jobs run one after the other.
 */
public final class InlineRuns implements EnqueueInterceptor {

  private volatile @Nullable JobRunner runner;
  private final ThreadLocal<Boolean> runs = ThreadLocal.withInitial(() -> false);

  /** Not running anything yet: {@link #by} says who does. */
  public InlineRuns() {}

  /**
   * Runs jobs by {@code runner} from now on.
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

  /** Runs what is due, unless this thread does so already. */
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
          "Nobody runs the jobs. Call by(worker) before the first enqueue.");
    }
    return current;
  }
}
