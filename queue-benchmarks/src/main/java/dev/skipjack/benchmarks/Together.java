package dev.skipjack.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several threads that do the same. */
final class Together {

  private Together() {}

  /** What one of them does. */
  @FunctionalInterface
  interface Part {
    void run(int number) throws Exception;
  }

  /** Returns when all have ended; throws what the first of them threw. */
  static void run(int threads, Part part) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        parts.add(
            executor.submit(
                () -> {
                  part.run(number);
                  return null;
                }));
      }
      for (Future<?> running : parts) {
        running.get();
      }
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof Exception cause ? cause : failed;
    } finally {
      executor.shutdownNow();
    }
  }
}
