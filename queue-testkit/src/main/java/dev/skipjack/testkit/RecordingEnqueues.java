package dev.skipjack.testkit;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Records enqueued jobs in the order of the calls. Every job whose enqueue returned a result is
 * recorded, even if its transaction is rolled back later.
 *
 * <pre>{@code
 * RecordingEnqueues recorded = new RecordingEnqueues();
 * JobQueue queue = JobQueue.builder(dataSource).interceptor(recorded).build();
 * }</pre>
 *
 * <p>Add this interceptor last to record jobs as modified by the other interceptors. Instances are
 * thread-safe.
 */
public final class RecordingEnqueues implements EnqueueInterceptor {

  /**
   * A job and the result of its enqueue.
   *
   * @param job the job, as it was passed to the store
   * @param result the result, which states whether the job was created
   */
  public record Recorded(NewJob job, EnqueueResult result) {}

  private final List<Recorded> recorded = new CopyOnWriteArrayList<>();

  /** Creates an interceptor without any records. */
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

  /** {@return a copy of all records so far} */
  public List<Recorded> all() {
    return List.copyOf(recorded);
  }

  /**
   * {@return a copy of all records so far for jobs of one type}
   *
   * @param type the jobs' type
   */
  public List<Recorded> of(JobType<?> type) {
    return recorded.stream().filter(one -> one.job().kind().equals(type.kind())).toList();
  }

  /** Discards all records. */
  public void clear() {
    recorded.clear();
  }
}
