package dev.skipjack.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads that handlers run on. Immutable; may be shared by workers. */
public final class HandlerThreads {

  private enum Kind {
    AUTOMATIC,
    PLATFORM,
    VIRTUAL,
    GIVEN
  }

  /** Idle threads end after this time. */
  private static final long IDLE_SECONDS = 30;

  private static final int FIRST_WITH_VIRTUAL = 21;

  private final Kind kind;
  private final @Nullable ExecutorService given;

  private HandlerThreads(Kind kind, @Nullable ExecutorService given) {
    this.kind = kind;
    this.given = given;
  }

  /**
   * The default: virtual threads from Java 21 on, platform threads before. Handlers that compute
   * for long should use {@link #platform()}, because only as many virtual threads run at once as
   * there are cores.
   */
  public static HandlerThreads automatic() {
    return new HandlerThreads(Kind.AUTOMATIC, null);
  }

  /** Platform threads that the worker owns, one for each job that runs. */
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
   * separate task. The executor's {@code execute} method must not block, because the thread that
   * claims and the one that searches for stuck handlers call it. Jobs that wait in it keep their
   * leases, so it should have a thread for each of the worker's slots. If the executor refuses or
   * drops a job, or does not begin it within a lease (or the interrupt grace, if that is longer),
   * the worker releases the job.
   *
   * @param executor runs tasks on threads other than the caller's; close the worker before the
   *     executor
   */
  public static HandlerThreads of(ExecutorService executor) {
    return new HandlerThreads(Kind.GIVEN, executor);
  }

  /** Opens the threads for one worker. */
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
   * @param isOwn whether only this worker uses the executor
   * @param own the executor to shut down with the worker; null if there is none
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
