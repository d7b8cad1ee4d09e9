package dev.skipjack.worker;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * Names and starts the threads of one worker: {@code queue-<worker>-<role>-<n>}.
 *
 * <p>They are daemons but for the timer. That one keeps the JVM up while the worker is started and,
 * since it never talks to the database, surely ends with it; a handler or a connection that hangs
 * must not keep a stopped process alive.
 */
final class WorkerThreads {

  static final String TIMER = "timer";
  static final String HANDLER = "handler";

  private final String prefix;
  private final Map<String, Integer> started = new ConcurrentHashMap<>();

  WorkerThreads(String workerName) {
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
    return HandlerThreads.virtualFactory(prefix + role + "-");
  }

  private Thread create(String role, Runnable body) {
    Thread thread = new Thread(body, prefix + role + "-" + started.merge(role, 1, Integer::sum));
    thread.setDaemon(!role.equals(TIMER));
    return thread;
  }
}
