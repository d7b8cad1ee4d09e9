package dev.skipjack.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A worker in a separate process, which can be started and stopped many times. */
final class WorkerProcess implements AutoCloseable {

  private final JavaProcess process;

  WorkerProcess(BenchmarkDatabase database) throws IOException {
    process = new JavaProcess(WorkerProgram.class, database);
  }

  /**
   * The figures of a worker that was stopped.
   *
   * @param jobs number of jobs that it completed
   * @param claims number of its claims that returned a job
   * @param emptyClaims number of its other claims
   */
  record Work(long jobs, long claims, long emptyClaims) {}

  /** A worker that was started. */
  final class Running {

    private final CompletionLatch latch;
    private final CountDownLatch ended = new CountDownLatch(1);
    private long jobs;
    private @Nullable Work work;
    private @Nullable Exception failure;

    private Running(CompletionLatch latch) {
      this.latch = latch;
      Thread reader = new Thread(this::read, "bench-worker-process");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try {
        String line = process.read();
        while (!line.startsWith(WorkerProgram.STOPPED)) {
          int more = Integer.parseInt(line);
          jobs += more;
          latch.count(more);
          line = process.read();
        }
        String[] words = line.split(" ", -1);
        work = new Work(jobs, Long.parseLong(words[1]), Long.parseLong(words[2]));
      } catch (IOException | InterruptedException | RuntimeException broken) {
        failure = broken;
      } finally {
        ended.countDown();
      }
    }

    /** Stops the worker. */
    Work stop() throws Exception {
      process.send(WorkerProgram.STOP);
      ended.await();
      if (failure != null) {
        throw failure;
      }
      return Objects.requireNonNull(work, "no figures");
    }
  }

  /**
   * Starts a worker.
   *
   * @param millis how long a job takes
   * @param completed counts its jobs, a few milliseconds after their completions were committed
   */
  Running start(int handlers, int prefetch, int millis, CompletionLatch completed)
      throws IOException, InterruptedException {
    process.send("%d %d %d".formatted(handlers, prefetch, millis));
    String line = process.read();
    if (!line.equals(WorkerProgram.STARTED)) {
      throw new IllegalStateException("The worker's process printed: " + line);
    }
    return new Running(completed);
  }

  /** Returns the CPU time that the process has used. */
  Duration cpu() {
    return process.cpu();
  }

  @Override
  public void close() {
    process.close();
  }
}
