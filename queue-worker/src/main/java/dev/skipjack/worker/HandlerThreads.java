package dev.skipjack.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What handlers run on. Immutable; may be shared by workers. */
public final class HandlerThreads {

  private enum Kind {
    AUTOMATIC,
    PLATFORM,
    VIRTUAL,
    GIVEN
  }

  /** Threads that have nothing to do end after so long. */
  private static final long IDLE_SECONDS = 30;

  private static final int FIRST_WITH_VIRTUAL = 21;

  private final Kind kind;
  private final @Nullable ExecutorService given;

  private HandlerThreads(Kind kind, @Nullable ExecutorService given) {
    this.kind = kind;
    this.given = given;
  }

  /**
   * Virtual threads from Java 21 on, platform threads before: the default. Handlers that compute
   * for long belong on {@link #platform()}: of virtual threads only as many run as there are cores.
   */
  public static HandlerThreads automatic() {
    return new HandlerThreads(Kind.AUTOMATIC, null);
  }

  /** Platform threads of the worker's own, as many as jobs run at once. */
  public static HandlerThreads platform() {
    return new HandlerThreads(Kind.PLATFORM, null);
  }

  /**
   * A virtual thread for each run of jobs.
   *
   * @throws UnsupportedOperationException before Java 21
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
   * The user's own executor, which the worker neither configures nor shuts down. Each attempt is a
   * task of its own. Its {@code execute} must not block: the thread that claims, and the one that
   * looks for stuck handlers, call it. Jobs that wait in it keep their leases, so it should have a
   * thread for each of the worker's slots. A job is released that it refuses, drops, or does not
   * begin within a lease (or the interrupt grace, if that is longer).
   *
   * @param executor runs tasks on other threads than the caller's; close the worker before it
   */
  public static HandlerThreads of(ExecutorService executor) {
    return new HandlerThreads(Kind.GIVEN, executor);
  }

  /** Opens them for one worker. */
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

  /** {@code platform}, {@code virtual} or the given executor's class. */
  @Override
  public String toString() {
    return given != null ? given.getClass().getName() : isVirtual() ? "virtual" : "platform";
  }

  /**
   * The threads of one worker.
   *
   * @param isOwn whether nobody else uses them
   * @param own what is to be shut down with it
   */
  record Running(Executor executor, boolean isOwn, @Nullable ExecutorService own)
      implements AutoCloseable {

    /** Lets idle threads end; busy ones end by themselves. */
    @Override
    public void close() {
      if (own != null) {
        own.shutdown();
      }
    }
  }
}
