package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Records what was enqueued, in the order of the calls: everything that reached the database, even
 * in a transaction that may still be rolled back.
 *
 * <pre>{@code
 * RecordingEnqueues recorded = new RecordingEnqueues();
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(recorded).build();
 * }</pre>
 *
 * <p>Add it last to see jobs after other interceptors have processed them. Safe for any number of
 * threads.
 */
public final class RecordingEnqueues implements EnqueueInterceptor {

  /**
   * A job and the result of its enqueue.
   *
   * @param job as it was passed to the store
   * @param result whether it was created
   */
  public record Recorded(NewJob job, EnqueueResult result) {}

  private final List<Recorded> recorded = new CopyOnWriteArrayList<>();

  /** Creates an interceptor that has recorded nothing yet. */
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

  /** Returns a copy of everything recorded so far. */
  public List<Recorded> all() {
    return List.copyOf(recorded);
  }

  /** Returns a copy of the jobs of one kind recorded so far. */
  public List<Recorded> of(JobType<?> type) {
    return recorded.stream().filter(one -> one.job().kind().equals(type.kind())).toList();
  }

  /** Discards all records. */
  public void clear() {
    recorded.clear();
  }
}
