package dev.skipjack.store.jooq;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call in its own thread. A test can read whether it is in line. */
final class Call<R> {

  private static final Duration LONG = Duration.ofSeconds(60);

  final Thread thread;
  private final FutureTask<R> task;

  private Call(Callable<R> work) {
    this.task = new FutureTask<>(work);
    this.thread = new Thread(task, "call");
    thread.setDaemon(true);
  }

  static <R> Call<R> start(Callable<R> work) {
    Call<R> call = new Call<>(work);
    call.thread.start();
    return call;
  }

  /** Starts a call and returns once it is in the line of {@link SharedWrites}. */
  static <R> Call<R> startInLine(Callable<R> work) {
    Call<R> call = start(work);
    Rival.soon().until(call::isWaiting);
    return call;
  }

  /** Returns whether the call is in line, or waits for the outcome of another call's write. */
  boolean isWaiting() {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().equals(SharedWrites.class.getName())
                    && frame.getMethodName().equals("awaitTurn"));
  }

  R result() throws InterruptedException, ExecutionException, TimeoutException {
    return task.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Returns what the call threw. */
  Throwable failure() throws InterruptedException, TimeoutException {
    try {
      R result = result();
      throw new AssertionError("Returned " + result);
    } catch (ExecutionException failure) {
      return Objects.requireNonNull(failure.getCause());
    }
  }
}
