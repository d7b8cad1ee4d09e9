package dev.skipjack.examples.service;

import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Handles signals that arrive while the JVM shuts down, which the JVM itself ignores. Java's class
 * for signals is not part of its standard API, so it is accessed by reflection.
 */
final class NextSignal {

  private NextSignal() {}

  /** Runs {@code action} in a separate thread for each further SIGTERM or Ctrl-C. */
  static void run(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object answer =
          Proxy.newProxyInstance(
              NextSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                action.run();
                return null;
              });
      for (String name : List.of("TERM", "INT")) {
        signal
            .getMethod("handle", signal, handler)
            .invoke(null, signal.getConstructor(String.class).newInstance(name), answer);
      }
    } catch (ReflectiveOperationException missing) {
      System.out.println("a second signal will be ignored");
    }
  }
}
