package dev.skipjack.benchmarks;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.JobStore;
import java.util.List;

/**
 * Wraps a queue for a worker, to time its claims, listings and rescues and to count its
 * completions. All other calls reach the queue, so the worker does the same as without the wrapper.
 */
final class TimedAccess {

  /** Is notified of calls to the store, possibly by several threads at once. */
  @FunctionalInterface
  interface CallListener {
    /**
     * Called when a claim has returned.
     *
     * @param jobs number of claimed jobs
     * @param marked whether each of its lanes had a low-water mark
     * @param nanos duration of the claim
     */
    void claimed(int jobs, boolean marked, long nanos);

    /** Called when a completion of the given number of jobs has returned. */
    default void completed(int jobs) {}

    /** Called when a query for the lanes with due jobs has returned. */
    default void listed(long nanos) {}

    /** Called when a rescue has returned. */
    default void rescued(long nanos) {}
  }

  private TimedAccess() {}

  static QueueAccess of(QueueAccess queue, CallListener listener) {
    JobStore timed = store(queue.store(), listener);
    return Proxies.of(
        QueueAccess.class,
        (method, args) -> method.getName().equals("store") ? timed : method.invoke(queue, args));
  }

  private static JobStore store(JobStore store, CallListener listener) {
    return Proxies.of(
        JobStore.class,
        (method, args) -> {
          long begin = System.nanoTime();
          Object result = method.invoke(store, args);
          long nanos = System.nanoTime() - begin;
          if (result instanceof List<?> jobs && args[0] instanceof ClaimRequest request) {
            boolean marked = request.lanes().stream().noneMatch(lane -> lane.lowWater() == null);
            listener.claimed(jobs.size(), marked, nanos);
          }
          switch (method.getName()) {
            case "complete" -> listener.completed(((List<?>) args[0]).size());
            case "handOver" -> listener.completed(1);
            case "dueLanes" -> listener.listed(nanos);
            case "rescue" -> listener.rescued(nanos);
            default -> {}
          }
          return result;
        });
  }
}
