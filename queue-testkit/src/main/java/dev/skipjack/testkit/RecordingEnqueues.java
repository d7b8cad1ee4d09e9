package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps what was enqueued, in the order of the calls: what reached the database, in a transaction
 * that may be rolled back still.
 *
 * <pre>{@code
 * RecordingEnqueues recorded = new RecordingEnqueues();
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(recorded).build();
 * }</pre>
 *
 * <p>Add it last to see jobs as other interceptors leave them. Safe for any number of threads.
 */
public final class RecordingEnqueues implements EnqueueInterceptor {

  /**
   * A job and what became of it.
   *
   * @param job as it was handed to the store
   * @param result whether it was created
   */
  public record Recorded(NewJob job, EnqueueResult result) {}

  private final List<Recorded> recorded = new CopyOnWriteArrayList<>();

  /** Empty. */
  public RecordingEnqueues() {}

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, Next next) {
    List<EnqueueResult> results = next.enqueue(jobs);
    List<Recorded> these = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      these.add(new Recorded(jobs.get(i), results.get(i)));
    }
    recorded.addAll(these);
    return results;
  }

  /** Everything so far: a copy. */
  public List<Recorded> all() {
    return List.copyOf(recorded);
  }

  /** The jobs of one kind so far: a copy. */
  public List<Recorded> of(JobType<?> type) {
    return recorded.stream().filter(one -> one.job().kind().equals(type.kind())).toList();
  }

  /** Forgets everything. */
  public void clear() {
    recorded.clear();
  }
}
