package dev.skipjack.benchmarks;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WakeUps;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A queue for a worker whose claims are timed. */
final class TimedAccess implements QueueAccess {

  private final QueueAccess queue;
  private final JobStore store;

  /** Hears of claims. */
  @FunctionalInterface
  interface Claims {
    /**
     * A claim is over.
     *
     * @param marked whether each of its lanes had a low-water mark
     */
    void claimed(int jobs, boolean marked, long nanos);
  }

  TimedAccess(QueueAccess queue, Claims claims) {
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
                    if (result instanceof List<?> jobs && args[0] instanceof ClaimRequest request) {
                      boolean marked =
                          request.lanes().stream().noneMatch(lane -> lane.lowWater() == null);
                      claims.claimed(jobs.size(), marked, System.nanoTime() - begin);
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
  public Optional<WakeUps> wakeUps() {
    return queue.wakeUps();
  }

  @Override
  public PayloadCodec codec() {
    return queue.codec();
  }
}
