package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.Objects;

/**
 * Combines several interceptors and checks that each one keeps the contract. The first is
 * outermost.
 */
final class Interceptors implements EnqueueInterceptor {

  private final List<EnqueueInterceptor> interceptors;

  Interceptors(List<EnqueueInterceptor> interceptors) {
    this.interceptors = List.copyOf(interceptors);
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs, Next write) {
    return jobs.isEmpty() ? List.of() : from(0, jobs, write);
  }

  private List<EnqueueResult> from(int index, List<NewJob> jobs, Next write) {
    if (index == interceptors.size()) {
      return write.enqueue(jobs);
    }
    EnqueueInterceptor interceptor = interceptors.get(index);
    boolean[] enqueued = {false};
    List<EnqueueResult> results =
        interceptor.enqueue(
            jobs,
            passed -> {
              if (enqueued[0]) {
                throw new IllegalStateException(
                    "Interceptor %s enqueued the same jobs twice.".formatted(nameOf(interceptor)));
              }
              requireSame(interceptor, jobs, passed);
              List<EnqueueResult> inner = from(index + 1, passed, write);
              enqueued[0] = true;
              return inner;
            });
    if (results.size() != jobs.size()) {
      throw new IllegalStateException(
          "Interceptor %s returned %d results for %d jobs."
              .formatted(nameOf(interceptor), results.size(), jobs.size()));
    }
    return results;
  }

  /**
   * Rejects jobs whose number or order has changed. Compares kinds and keys, which interceptors
   * must not change.
   */
  private static void requireSame(
      EnqueueInterceptor interceptor, List<NewJob> jobs, List<NewJob> passed) {
    if (passed.size() != jobs.size()) {
      throw new IllegalStateException(
          "Interceptor %s passed on %d jobs of %d. It may change jobs, but must keep their number and order."
              .formatted(nameOf(interceptor), passed.size(), jobs.size()));
    }
    for (int i = 0; i < jobs.size(); i++) {
      NewJob before = jobs.get(i);
      NewJob after = passed.get(i);
      if (!before.kind().equals(after.kind())
          || !Objects.equals(before.uniqueKey(), after.uniqueKey())
          || !Objects.equals(before.idempotencyKey(), after.idempotencyKey())) {
        throw new IllegalStateException(
            "Interceptor %s passed on a job of another kind or key at index %d. It may change jobs, but must keep their number and order."
                .formatted(nameOf(interceptor), i));
      }
    }
  }

  private static String nameOf(EnqueueInterceptor interceptor) {
    return interceptor.getClass().getName();
  }
}
