package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.JobStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the listings of a queue's store, and its claims that contain low-water marks. */
final class HintCounter {

  final AtomicInteger hinted = new AtomicInteger();
  final AtomicInteger listings = new AtomicInteger();

  /** Called during each listing. */
  volatile Runnable whileListing = () -> {};

  /** Returns the same queue, with its claims and listings counted. */
  QueueAccess count(QueueAccess queue) {
    JobStore store =
        (JobStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {JobStore.class},
                (proxy, method, arguments) -> {
                  if (arguments != null && arguments[0] instanceof ClaimRequest request) {
                    count(request);
                  } else if (method.getName().equals("dueLanes")) {
                    listings.incrementAndGet();
                    whileListing.run();
                  }
                  try {
                    return method.invoke(queue.store(), arguments);
                  } catch (InvocationTargetException thrown) {
                    throw thrown.getTargetException();
                  }
                });
    return (QueueAccess)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {QueueAccess.class},
            (proxy, method, arguments) ->
                method.getName().equals("store") ? store : method.invoke(queue, arguments));
  }

  private void count(ClaimRequest request) {
    if (request.lanes().stream().anyMatch(share -> share.lowWater() != null)) {
      hinted.incrementAndGet();
    }
  }
}
