package dev.skipjack.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same code in several threads. */
public final class Parallel {

  private Parallel() {}

  /** The code that each thread runs. */
  @FunctionalInterface
  public interface Part {
    void run(int number) throws Exception;
  }

  /**
   * Runs {@code part} in the given number of threads and waits for all of them. Throws the
   * exception of the first thread that failed.
   */
  public static void run(int threads, Part part) throws Exception {
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
