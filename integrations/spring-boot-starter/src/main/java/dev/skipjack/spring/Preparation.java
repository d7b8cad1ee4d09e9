package dev.skipjack.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Prepares the queue for its first enqueue when the application has started, in a thread of its
 * own. An earlier preparation would compete with the start for the processors.
 *
 * <p>This class is not an {@link java.util.concurrent.Executor}, because Spring Boot creates its
 * task executor only if no bean is one.
 */
final class Preparation implements ApplicationListener<ContextRefreshedEvent> {

  private final List<Runnable> waiting = new ArrayList<>();
  private boolean started;

  synchronized void execute(Runnable task) {
    if (started) {
      run(task);
    } else {
      waiting.add(task);
    }
  }

  @Override
  public synchronized void onApplicationEvent(ContextRefreshedEvent refreshed) {
    started = true;
    waiting.forEach(Preparation::run);
    waiting.clear();
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "skipjack-preparation");
    thread.setDaemon(true);
    thread.start();
  }
}
