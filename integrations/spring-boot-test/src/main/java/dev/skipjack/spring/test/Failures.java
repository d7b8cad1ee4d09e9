package dev.skipjack.spring.test;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.AttemptInfo;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Collects the attempts that fail. Safe for any number of threads. */
final class Failures implements ExecutionInterceptor, WorkerListener {

  private final Map<ExecutionId, Throwable> thrown = new ConcurrentHashMap<>();
  private final Queue<JobFailedException> failed = new ConcurrentLinkedQueue<>();

  void addTo(Worker.Builder worker) {
    worker.interceptor(this).listener(this);
  }

  @Override
  public @Nullable Outcome around(JobContext context, Next next) throws Exception {
    try {
      return next.proceed();
    } catch (Throwable failure) {
      thrown.put(context.executionId(), failure);
      throw failure;
    }
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Failed failure) {
      add(failure.attempt(), failure.error(), "waits for its retry");
    } else if (event instanceof WorkerEvent.Dead death) {
      add(death.attempt(), death.error(), "is dead");
    }
  }

  private void add(AttemptInfo attempt, JobError error, String state) {
    failed.add(
        new JobFailedException(
            attempt.jobId(),
            "Job %s of kind '%s' failed in attempt %d of %d and %s: %s"
                .formatted(
                    attempt.jobId(),
                    attempt.kind(),
                    attempt.attempt(),
                    attempt.maxAttempts(),
                    state,
                    error.message()),
            thrown.remove(attempt.executionId())));
  }

  /**
   * Removes all failures.
   *
   * @throws JobFailedException if there was one. Further failures are suppressed exceptions
   */
  void rethrow() {
    JobFailedException first = failed.poll();
    if (first == null) {
      return;
    }
    for (JobFailedException next = failed.poll(); next != null; next = failed.poll()) {
      first.addSuppressed(next);
    }
    throw first;
  }

  /** Removes all failures. */
  void clear() {
    failed.clear();
    thrown.clear();
  }
}
