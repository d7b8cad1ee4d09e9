package dev.skipjack.worker;

import dev.skipjack.api.Retention;
import java.time.Duration;

/**
 * The settings of a {@link Worker}. Immutable. The {@linkplain #defaults() defaults} suit most
 * applications.
 *
 * @param lease how long a claim stays valid without renewal; after that any worker may rescue the
 *     job. Default 30 s, 100 ms to 1 day. The lease bounds the delay after a crash, not the
 *     duration of a job.
 * @param heartbeatInterval the age at which leases are renewed. Default and maximum: a third of the
 *     lease, so that two renewals may fail before the lease is lost. At least 10 ms.
 * @param pollInterval the time between polls of an idle queue, varied at random by up to a fifth.
 *     Default 1.25 s, so that an idle worker sends less than one statement per second in total; 10
 *     ms to 1 hour.
 * @param prefetch the maximum number of jobs of a queue that the worker claims beyond those that
 *     can run at once. Default 1,000, 0 to 1,000. It claims only as many of them as its slots are
 *     expected to finish in 50 ms, and none before the first handler has ended. A job that has
 *     waited a second for a slot is released, and the attempt does not count. Together with ended
 *     jobs whose outcome is not yet written, these jobs may be three times as many.
 * @param flushInterval how long outcomes are collected before they are written together. Default 3
 *     ms, 0 to 1 s. The worker does not wait if no other job is running. Unless the interval is 0,
 *     outcomes of a stream of jobs that started directly are collected for up to 10 ms.
 * @param rescueInterval the time between searches for jobs whose lease has expired, varied at
 *     random by up to a fifth. Default 10 s, 10 ms to 1 hour.
 * @param drainTimeout how long running handlers may continue when the worker stops. Default 25 s, 0
 *     to 1 hour. Keep it at least 5 s below the time after which the process is killed.
 * @param interruptGrace how long a handler may continue after it was interrupted by a timeout or a
 *     lost lease, before it counts as stuck and its slot is replaced. Default 5 s, 10 ms to 1 hour.
 * @param retention how long history is kept. Default: 7 days for archived jobs, unless their queue
 *     has its own setting, and 30 days for the audit. All workers of a schema should have the same
 *     retention, because the shortest applies.
 * @param wakeUps whether the worker listens for new jobs, on a connection that it holds. Default
 *     true. If it does not or cannot listen, it finds jobs by polling.
 * @param directStart whether a job that is enqueued through the worker's own queue object starts in
 *     a free slot of the worker without a claim, also after a transaction whose end is reported to
 *     the queue, such as Spring's. Default true. Jobs with a key and jobs that do not wake workers
 *     are always claimed, as are all jobs if the handlers run on an executor of the application
 */
public record WorkerConfig(
    Duration lease,
    Duration heartbeatInterval,
    Duration pollInterval,
    int prefetch,
    Duration flushInterval,
    Duration rescueInterval,
    Duration drainTimeout,
    Duration interruptGrace,
    Retention retention,
    boolean wakeUps,
    boolean directStart) {

  private static final Duration HOUR = Duration.ofHours(1);

  /** Returns the settings as {@code key=value} pairs, for the log. */
  String inWords() {
    return ("lease=%s heartbeatInterval=%s pollInterval=%s prefetch=%d flushInterval=%s rescueInterval=%s"
            + " drainTimeout=%s interruptGrace=%s archiveRetention=%s auditRetention=%s wakeUps=%s directStart=%s")
        .formatted(
            lease,
            heartbeatInterval,
            pollInterval,
            prefetch,
            flushInterval,
            rescueInterval,
            drainTimeout,
            interruptGrace,
            retention.archive(),
            retention.audit(),
            wakeUps,
            directStart);
  }

  /**
   * Creates a configuration.
   *
   * @param lease how long the lease stays valid without renewal
   * @param heartbeatInterval the age at which leases are renewed
   * @param pollInterval the time between polls of an idle queue
   * @param prefetch the maximum number of jobs claimed beyond those that can run at once
   * @param flushInterval how long outcomes are collected
   * @param rescueInterval the time between two searches for expired leases
   * @param drainTimeout how long a stop waits for running handlers
   * @param interruptGrace how long interrupted handlers may continue
   * @param retention how long history is kept
   * @param wakeUps whether the worker listens for new jobs
   * @param directStart whether jobs that this process enqueues may start without a claim
   * @throws IllegalArgumentException if a value is out of range
   */
  public WorkerConfig {
    require("Lease", lease, Duration.ofMillis(100), Duration.ofDays(1));
    require("Heartbeat interval", heartbeatInterval, Duration.ofMillis(10), HOUR.multipliedBy(8));
    if (heartbeatInterval.multipliedBy(3).compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "Lease %s is shorter than 3 heartbeat intervals of %s. Lengthen the lease or shorten the interval."
              .formatted(lease, heartbeatInterval));
    }
    require("Poll interval", pollInterval, Duration.ofMillis(10), HOUR);
    if (prefetch < 0 || prefetch > 1_000) {
      throw new IllegalArgumentException("Prefetch %d is not in 0..1000.".formatted(prefetch));
    }
    require("Flush interval", flushInterval, Duration.ZERO, Duration.ofSeconds(1));
    require("Rescue interval", rescueInterval, Duration.ofMillis(10), HOUR);
    require("Drain timeout", drainTimeout, Duration.ZERO, HOUR);
    require("Interrupt grace", interruptGrace, Duration.ofMillis(10), HOUR);
  }

  private static void require(String what, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s %s is not in %s..%s.".formatted(what, value, least, most));
    }
  }

  /** {@return settings with all defaults} */
  public static WorkerConfig defaults() {
    return builder().build();
  }

  /** {@return a builder that starts with the defaults} */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds a {@link WorkerConfig}. Not thread-safe. */
  public static final class Builder {

    private Duration lease = Duration.ofSeconds(30);
    private Duration heartbeatInterval = Duration.ZERO;
    private Duration pollInterval = Duration.ofMillis(1_250);
    private int prefetch = 1_000;
    private Duration flushInterval = Duration.ofMillis(3);
    private Duration rescueInterval = Duration.ofSeconds(10);
    private Duration drainTimeout = Duration.ofSeconds(25);
    private Duration interruptGrace = Duration.ofSeconds(5);
    private Retention retention = Retention.defaults();
    private boolean wakeUps = true;
    private boolean directStart = true;

    private Builder() {}

    /**
     * Sets {@link WorkerConfig#lease()}. If no heartbeat interval is set, it is a third of the
     * lease.
     *
     * @param lease how long the lease stays valid without renewal
     * @return this builder
     */
    public Builder lease(Duration lease) {
      this.lease = lease;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#heartbeatInterval()}; zero means a third of the lease.
     *
     * @param heartbeatInterval the age at which leases are renewed
     * @return this builder
     */
    public Builder heartbeatInterval(Duration heartbeatInterval) {
      this.heartbeatInterval = heartbeatInterval;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#pollInterval()}.
     *
     * @param pollInterval the time between polls of an idle queue
     * @return this builder
     */
    public Builder pollInterval(Duration pollInterval) {
      this.pollInterval = pollInterval;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#prefetch()}.
     *
     * @param prefetch the maximum number of jobs claimed beyond those that can run at once
     * @return this builder
     */
    public Builder prefetch(int prefetch) {
      this.prefetch = prefetch;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#flushInterval()}.
     *
     * @param flushInterval how long outcomes are collected
     * @return this builder
     */
    public Builder flushInterval(Duration flushInterval) {
      this.flushInterval = flushInterval;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#rescueInterval()}.
     *
     * @param rescueInterval the time between two searches for expired leases
     * @return this builder
     */
    public Builder rescueInterval(Duration rescueInterval) {
      this.rescueInterval = rescueInterval;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#drainTimeout()}.
     *
     * @param drainTimeout how long a stop waits for running handlers
     * @return this builder
     */
    public Builder drainTimeout(Duration drainTimeout) {
      this.drainTimeout = drainTimeout;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#interruptGrace()}.
     *
     * @param interruptGrace how long interrupted handlers may continue
     * @return this builder
     */
    public Builder interruptGrace(Duration interruptGrace) {
      this.interruptGrace = interruptGrace;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#retention()}.
     *
     * @param retention how long history is kept
     * @return this builder
     */
    public Builder retention(Retention retention) {
      this.retention = retention;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#wakeUps()}.
     *
     * @param wakeUps whether the worker listens for new jobs
     * @return this builder
     */
    public Builder wakeUps(boolean wakeUps) {
      this.wakeUps = wakeUps;
      return this;
    }

    /**
     * Sets {@link WorkerConfig#directStart()}.
     *
     * @param directStart whether jobs that this process enqueues may start without a claim
     * @return this builder
     */
    public Builder directStart(boolean directStart) {
      this.directStart = directStart;
      return this;
    }

    /**
     * Builds the settings.
     *
     * @return the settings
     * @throws IllegalArgumentException if a setting is out of range
     */
    public WorkerConfig build() {
      Duration heartbeat = heartbeatInterval.isZero() ? lease.dividedBy(3) : heartbeatInterval;
      return new WorkerConfig(
          lease,
          heartbeat,
          pollInterval,
          prefetch,
          flushInterval,
          rescueInterval,
          drainTimeout,
          interruptGrace,
          retention,
          wakeUps,
          directStart);
    }
  }
}
