package dev.skipjack.demo;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the shutdown of the JVM, by Ctrl-C, SIGTERM or otherwise, into a stop request for the
 * command. The JVM waits until the request is closed. A second signal ends the JVM immediately.
 */
final class StopRequest implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StopRequest.class);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The exit codes that shells use for processes ended by a signal. */
  private static final Map<String, Integer> ENDINGS = Map.of("INT", 130, "TERM", 143);

  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch obeyed = new CountDownLatch(1);
  private final Thread hook = new Thread(this::onShutdown, "demo-shutdown");

  private StopRequest() {}

  /** Starts listening for the shutdown. Listens until the request is closed. */
  static StopRequest listen() {
    StopRequest request = new StopRequest();
    Runtime.getRuntime().addShutdownHook(request.hook);
    return request;
  }

  boolean isMade() {
    return requested.getCount() == 0;
  }

  /** Waits for the given duration, or until a stop is requested. */
  void await(Duration longest) throws InterruptedException {
    requested.await(longest.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void onShutdown() {
    haltAtNextSignal();
    requested.countDown();
    try {
      if (!obeyed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("The command did not stop within {} and is killed", PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Ends the JVM when the next signal arrives, because the JVM itself ignores signals while it
   * shuts down. Java's class for signals is not part of the standard API, so it is accessed by
   * reflection. If it is missing, a second signal is ignored.
   */
  private static void haltAtNextSignal() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Method handle = signal.getMethod("handle", signal, handler);
      for (Map.Entry<String, Integer> ending : ENDINGS.entrySet()) {
        Object halt =
            Proxy.newProxyInstance(
                StopRequest.class.getClassLoader(),
                new Class<?>[] {handler},
                (proxy, method, arguments) -> {
                  Runtime.getRuntime().halt(ending.getValue());
                  return null;
                });
        handle.invoke(null, signal.getConstructor(String.class).newInstance(ending.getKey()), halt);
      }
    } catch (ReflectiveOperationException e) {
      LOG.debug("A second signal will be ignored", e);
    }
  }

  /** Reports that the cleanup is complete. */
  @Override
  public void close() {
    obeyed.countDown();
    if (!isMade()) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The JVM is already ending; the hook does not need to wait.
        obeyed.countDown();
      }
    }
  }
}
