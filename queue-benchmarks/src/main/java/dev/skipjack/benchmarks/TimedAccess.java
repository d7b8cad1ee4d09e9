package dev.skipjack.benchmarks;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Wraps a queue for a worker, to time its claims, listings and rescues and to count its
 * completions.
 */
final class TimedAccess implements QueueAccess {

  private final QueueAccess queue;
  private final JobStore store;

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

  TimedAccess(QueueAccess queue, CallListener listener) {
    this.queue = queue;
    JobStore untimed = queue.store();
    this.store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (self, method, args) -> {
                  long begin = System.nanoTime();
                  try {
                    Object result = method.invoke(untimed, args);
                    long nanos = System.nanoTime() - begin;
                    if (result instanceof List<?> jobs && args[0] instanceof ClaimRequest request) {
                      boolean marked =
                          request.lanes().stream().noneMatch(lane -> lane.lowWater() == null);
                      listener.claimed(jobs.size(), marked, nanos);
                    }
                    switch (method.getName()) {
                      case "complete" -> listener.completed(((List<?>) args[0]).size());
                      case "dueLanes" -> listener.listed(nanos);
                      case "rescue" -> listener.rescued(nanos);
                      default -> {}
                    }
                    return result;
                  } catch (InvocationTargetException thrown) {
                    throw Objects.requireNonNullElse(thrown.getCause(), thrown);
                  }
                });
  }

  @Override
  public JobStore store() {
    return store;
  }

  @Override
  public Maintenance maintenance() {
    return queue.maintenance();
  }

  @Override
  public Optional<OrderedJobs> orderedJobs() {
    return queue.orderedJobs();
  }

  @Override
  public Optional<WakeUps> wakeUps() {
    return queue.wakeUps();
  }

  @Override
  public LeaseKeeper leases() {
    return queue.leases();
  }

  @Override
  public WorkerRegistry workers() {
    return queue.workers();
  }

  @Override
  public int schemaVersion() {
    return queue.schemaVersion();
  }

  @Override
  public boolean listensApart() {
    return queue.listensApart();
  }

  @Override
  public OptionalInt poolSize() {
    return queue.poolSize();
  }

  @Override
  public JobEnqueuer in(Connection transaction) {
    return queue.in(transaction);
  }

  @Override
  public PayloadCodec codec() {
    return queue.codec();
  }

  @Override
  public String encodeResult(String kind, Object result) {
    return queue.encodeResult(kind, result);
  }
}
