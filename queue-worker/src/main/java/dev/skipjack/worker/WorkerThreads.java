package dev.skipjack.worker;

import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Names and starts the threads of one worker: {@code queue-<worker>-<role>-<n>}.
 *
 * <p>All threads except the timer are daemons. The timer keeps the JVM running while the worker is
 * started. It never uses the database, so it always ends with the worker. A handler or a connection
 * that hangs must not keep a process alive after its worker was stopped.
 *
 * <p>A thread inherits nothing from the thread that starts it, which may belong to a client
 * library. It has no inheritable thread locals, and its context class loader is that of the thread
 * that started the worker.
 */
final class WorkerThreads {

  static final String TIMER = "timer";
  static final String HANDLER = "handler";

  private final String prefix;
  private final @Nullable ClassLoader loader;
  private final Map<String, Integer> started = new ConcurrentHashMap<>();

  /** Captures the context of the calling thread, which starts the worker. */
  WorkerThreads(String workerName) {
    this.loader = Thread.currentThread().getContextClassLoader();
    this.prefix = "queue-" + workerName + "-";
  }

  Thread start(String role, Runnable body) {
    Thread thread = create(role, body);
    thread.start();
    return thread;
  }

  ThreadFactory factory(String role) {
    return body -> create(role, body);
  }

  ThreadFactory virtualFactory(String role) {
    ThreadFactory factory = namedVirtual(prefix + role + "-");
    return body -> {
      Thread thread = factory.newThread(body);
      thread.setContextClassLoader(loader);
      return thread;
    };
  }

  private Thread create(String role, Runnable body) {
    String name = prefix + role + "-" + started.merge(role, 1, Integer::sum);
    Thread thread = new Thread(null, body, name, 0, false);
    thread.setDaemon(!role.equals(TIMER));
    thread.setContextClassLoader(loader);
    return thread;
  }

  /**
   * Returns a factory of named virtual threads that inherit nothing. It uses reflection, because
   * virtual threads do not exist in Java 17.
   */
  private static ThreadFactory namedVirtual(String prefix) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      builder = type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
      builder =
          type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ClassNotFoundException
        | NoSuchMethodException
        | IllegalAccessException
        | InvocationTargetException impossible) {
      throw new IllegalStateException("This Java promises virtual threads", impossible);
    }
  }
}
