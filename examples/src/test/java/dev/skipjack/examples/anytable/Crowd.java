package dev.skipjack.examples.anytable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** Runs the same action for six customers, clients or processes at the same time. */
final class Crowd {

  private static final int THREADS = 6;

  private Crowd() {}

  static void run(IntConsumer each) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> started = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        started.add(threads.submit(() -> each.accept(number)));
      }
      for (Future<?> one : started) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
