package dev.skipjack.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Defines the threads on which handlers run. Immutable. Several workers may share an instance. */
public final class HandlerThreads {

  private enum Kind {
    AUTOMATIC,
    PLATFORM,
    VIRTUAL,
    GIVEN
  }

  /** The time after which an idle thread ends. */
  private static final long IDLE_SECONDS = 30;

  private static final int FIRST_WITH_VIRTUAL = 21;

  private final Kind kind;
  private final @Nullable ExecutorService given;

  private HandlerThreads(Kind kind, @Nullable ExecutorService given) {
    this.kind = kind;
    this.given = given;
  }

  /**
   * {@return the default: virtual threads on Java 21 and later, platform threads on earlier
   * versions} Handlers that compute for a long time should use {@link #platform()}, because no more
   * virtual threads can run at once than there are cores.
   */
  public static HandlerThreads automatic() {
    return new HandlerThreads(Kind.AUTOMATIC, null);
  }

  /** {@return platform threads that the worker owns, one for each running job} */
  public static HandlerThreads platform() {
    return new HandlerThreads(Kind.PLATFORM, null);
  }

  /**
   * {@return virtual threads, one for each slot while it is in use}
   *
   * @throws UnsupportedOperationException on Java versions before 21
   */
  public static HandlerThreads virtual() {
    if (Runtime.version().feature() < FIRST_WITH_VIRTUAL) {
      throw new UnsupportedOperationException(
          "Java %d has no virtual threads. Run on Java %d or later, or use platform()."
              .formatted(Runtime.version().feature(), FIRST_WITH_VIRTUAL));
    }
    return new HandlerThreads(Kind.VIRTUAL, null);
  }

  /**
   * {@return the threads of the given executor, which the worker neither configures nor shuts down}
   * The worker submits each attempt as a separate task.
   *
   * <p>The executor's {@code execute} method must not block, because the claim loop, the receiver
   * of wake-ups and the watchdog call it. A job keeps its lease while it waits in the executor, so
   * the executor should have a thread for each of the worker's slots. If the executor rejects or
   * drops a job, or does not start it within the duration of a lease (or the interrupt grace, if
   * that is longer), the worker releases the job.
   *
   * @param executor an executor that runs tasks on threads other than the caller's; close the
   *     worker before the executor
   */
  public static HandlerThreads of(ExecutorService executor) {
    return new HandlerThreads(Kind.GIVEN, executor);
  }

  /** Creates the threads of one worker. */
  Running open(WorkerThreads threads) {
    if (given != null) {
      return new Running(given, false, null);
    }
    if (isVirtual()) {
      ThreadFactory factory = threads.virtualFactory(WorkerThreads.HANDLER);
      return new Running(task -> factory.newThread(task).start(), true, null);
    }
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads.factory(WorkerThreads.HANDLER));
    return new Running(pool, true, pool);
  }

  private boolean isVirtual() {
    return kind == Kind.VIRTUAL
        || (kind == Kind.AUTOMATIC && Runtime.version().feature() >= FIRST_WITH_VIRTUAL);
  }

  /** Returns {@code platform}, {@code virtual} or the name of the executor's class. */
  @Override
  public String toString() {
    return given != null ? given.getClass().getName() : isVirtual() ? "virtual" : "platform";
  }

  /**
   * The threads of one worker.
   *
   * @param isOwn whether only this worker uses the executor
   * @param own the executor to shut down with the worker; null if there is none
   */
  record Running(Executor executor, boolean isOwn, @Nullable ExecutorService own)
      implements AutoCloseable {

    /** Ends idle threads immediately, and busy threads when their tasks have ended. */
    @Override
    public void close() {
      if (own != null) {
        own.shutdown();
      }
    }
  }
}
