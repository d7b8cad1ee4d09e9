package dev.skipjack.faults;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes attempts of jobs fail, around a handler or inside the code that the handler calls.
 *
 * <pre>{@code
 * AttemptFaults faults = new AttemptFaults();
 * Worker worker =
 *     Worker.on(queue)
 *         .handle(SEND_WELCOME, emails::send)
 *         .interceptor((context, next) -> faults.around(next::proceed))
 *         .queue("emails", 1)
 *         .build();
 * faults.failNext(2, () -> new IOException("452 mail server busy"));
 * }</pre>
 *
 * <p>Safe for any number of threads.
 */
public final class AttemptFaults {

  private final Deque<Supplier<? extends Throwable>> announced = new ArrayDeque<>();

  /** Creates an instance that lets all attempts pass until {@link #failNext} is called. */
  public AttemptFaults() {}

  /**
   * Fails the next attempts: {@link #around} throws an exception instead of running them.
   *
   * @param times the number of attempts to fail, in addition to those requested by earlier calls;
   *     positive
   * @param failure supplies a new exception for each attempt; may also be an {@link Error}
   */
  public void failNext(int times, Supplier<? extends Throwable> failure) {
    announce(times, failure);
  }

  /**
   * Fails the next attempts with an {@link IllegalStateException} whose message states that the
   * test requested it.
   *
   * @param times the number of attempts to fail, in addition to those requested by earlier calls;
   *     positive
   */
  public void failNext(int times) {
    announce(
        times,
        () -> new IllegalStateException("This attempt fails because the test requested it."));
  }

  private synchronized void announce(int times, Supplier<? extends Throwable> failure) {
    if (times < 1) {
      throw new IllegalArgumentException("%d attempts cannot fail.".formatted(times));
    }
    for (int i = 0; i < times; i++) {
      announced.add(failure);
    }
  }

  /** {@return the number of requested failures that have not occurred yet} */
  public synchronized int left() {
    return announced.size();
  }

  /** Discards the requested failures that have not occurred yet. */
  public synchronized void reset() {
    announced.clear();
  }

  /**
   * Throws the next requested failure; if there is none, calls {@code attempt} and returns its
   * result.
   *
   * @param <R> the type of the result
   * @param attempt runs the attempt
   * @return the result of the attempt
   * @throws Exception the requested failure, or the exception of the attempt
   */
  public <R extends @Nullable Object> R around(Callable<R> attempt) throws Exception {
    Supplier<? extends Throwable> failure;
    synchronized (this) {
      failure = announced.poll();
    }
    if (failure == null) {
      return attempt.call();
    }
    Throwable thrown = failure.get();
    if (thrown instanceof Error error) {
      throw error;
    }
    throw thrown instanceof Exception exception ? exception : new IllegalStateException(thrown);
  }
}
