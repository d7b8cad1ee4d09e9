package dev.skipjack.outbox;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.outbox.BatchResult.Rules;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of committed transactions. Any number of relays, in any number of processes,
 * share the work: for each batch, a relay leases some of the 32 shards into which aggregates are
 * divided.
 *
 * <p>No transaction is open while the publisher runs. If a relay is killed or freezes, another one
 * continues when its lease expires, and publishes again what the first one could not record: at
 * most a batch for each of its threads.
 *
 * <p>Safe for any number of threads. A relay that was closed cannot be started again.
 */
public final class Relay implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private static final Duration PARTITIONS_AHEAD = Duration.ofDays(14);
  private static final Duration MAINTENANCE = Duration.ofHours(1);

  /**
   * The maximum time for which {@link #close} waits for batches in progress. Without a fault, they
   * end earlier.
   */
  private static final Duration FAREWELL = Stop.GRACE.plusSeconds(5);

  /**
   * The maximum time for which {@link #close} waits for interrupted threads to return their
   * connections.
   */
  private static final Duration GOODBYE = Duration.ofSeconds(2);

  /** The time that {@link #close} has to record batches whose publisher has not returned. */
  private static final Duration LAST_RECORD = Duration.ofSeconds(2);

  private final JobQueue queue;
  private final RelayStore store;
  private final RelayBatch batch;
  private final RelayCounters counters = new RelayCounters();
  private final RelayVitals vitals = new RelayVitals(System::nanoTime);
  private final Stop stop = new Stop();
  private final WakeUpSignal signal = new WakeUpSignal(stop);
  private final ScheduledExecutorService timer;
  private final Builder settings;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** Guarded by this relay. */
  private boolean started;

  private Relay(Builder settings) {
    this.settings = settings;
    this.queue = settings.queue;
    this.store = new RelayStore(queue.extension(), !settings.retention.isZero());
    this.timer =
        Executors.newScheduledThreadPool(
            2,
            task -> {
              Thread thread = new Thread(task, "outbox-%s-timer".formatted(settings.name));
              thread.setDaemon(true);
              return thread;
            });
    this.batch =
        new RelayBatch(
            store,
            settings.publisher,
            new RelayBatch.Settings(
                settings.name,
                settings.shards,
                settings.batchSize,
                settings.batchBytes,
                settings.lease,
                settings.publishTimeout,
                settings.outageLimit,
                new Rules(
                    settings.backoff,
                    settings.maxAttempts,
                    settings.skipDead,
                    new ErrorTexts(settings.redactor))),
            stop,
            timer,
            counters,
            vitals);
  }

  static Builder builder(JobQueue queue, Publisher publisher) {
    return new Builder(queue, publisher);
  }

  /**
   * Starts the relay's threads.
   *
   * @return the relay
   * @throws IllegalStateException if the relay was started or closed before
   */
  public synchronized Relay start() {
    if (started || stop.isRequested()) {
      throw new IllegalStateException("The relay was started or closed before. Build a new one.");
    }
    Duration longestWait = settings.publisher.longestWait();
    started = true;
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(this::maintain, 0, MAINTENANCE.toSeconds(), TimeUnit.SECONDS);
    for (int i = 1; i <= settings.threads; i++) {
      run(
          "outbox-%s-relay-%d".formatted(settings.name, i),
          new RelayLoop(
              settings.name,
              batch,
              stop,
              signal,
              vitals,
              new ErrorTexts(settings.redactor),
              settings.pollInterval.toMillis()));
    }
    queue
        .wakeUps()
        .ifPresent(
            source ->
                run(
                    "outbox-%s-listener".formatted(settings.name),
                    new RelayListener(settings.name, source, stop, signal)));
    LOG.info(
        "Relay started relay={} threads={} batchSize={} leaseMs={} pollMs={}",
        settings.name,
        settings.threads,
        settings.batchSize,
        settings.lease.toMillis(),
        settings.pollInterval.toMillis());
    if (longestWait.compareTo(settings.publishTimeout) > 0) {
      LOG.warn(
          "Publisher may wait for an event longer than publishTimeout. Then another relay sends the"
              + " same event. Lower the publisher's timeout or raise publishTimeout."
              + " relay={} publisherMs={} publishTimeoutMs={}",
          settings.name,
          longestWait.toMillis(),
          settings.publishTimeout.toMillis());
    }
    return this;
  }

  private void run(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              while (!stop.isRequested()) {
                try {
                  work.run();
                } catch (Throwable failure) { // thrown while logging
                  signal.pause(RelayLoop.LONGEST_PAUSE);
                }
              }
            },
            name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  /**
   * Publishes in the calling thread until no event can be published now. For tests and scripts.
   *
   * @throws IllegalStateException if the relay was closed before
   * @throws StoreException if the database is unavailable
   * @throws InterruptedException if the thread was interrupted
   */
  public void runUntilIdle() throws InterruptedException {
    if (stop.isRequested()) {
      throw new IllegalStateException("The relay was closed before. Build a new one.");
    }
    RelayBatch.Result outcome;
    do {
      outcome = batch.run();
      if (Thread.interrupted()) {
        throw new InterruptedException("Interrupted while publishing");
      }
    } while (outcome == RelayBatch.Result.PROGRESS && !stop.isRequested());
  }

  /** {@return the name by which operators recognize the relay} */
  public String name() {
    return settings.name;
  }

  /** {@return what the relay has done so far} */
  public RelayStats stats() {
    return counters.stats(deadThreads().size());
  }

  /**
   * {@return whether the relay is running and can publish} Does not use the database. A failure of
   * the database or the publisher is reported when it has lasted for ten seconds.
   */
  public RelayHealth health() {
    List<String> reasons = new ArrayList<>();
    synchronized (this) {
      if (!started || stop.isRequested()) {
        reasons.add(started ? "The relay is closed." : "The relay is not started.");
      }
    }
    deadThreads().forEach(name -> reasons.add("The thread '%s' is dead.".formatted(name)));
    boolean alive = reasons.isEmpty();
    reasons.addAll(vitals.reasons());
    return new RelayHealth(alive, reasons.isEmpty(), reasons);
  }

  private List<String> deadThreads() {
    return stop.isRequested() ? List.of() : RelayVitals.dead(threads);
  }

  /**
   * Stops the relay. {@link EventBatch#isLeased} becomes false, so that publishers send no further
   * event. Waits until the batches in progress are recorded. After 20 s, or after the publish
   * timeout plus a third of the lease if that is shorter, interrupts the publisher. If it does not
   * return, records what is known to be sent. Returns after 25 s at the latest, whatever the
   * publisher does.
   */
  @Override
  public void close() {
    stop.request();
    signal.wake();
    boolean interrupted = !join(farewell());
    threads.forEach(Thread::interrupt);
    interrupted |= !join(GOODBYE);
    interrupted |= !endTimer();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how long a batch may still take, as {@link HeldLeases} limits it. */
  private Duration farewell() {
    Duration third = settings.lease.dividedBy(3);
    Duration sending =
        settings.publishTimeout.compareTo(third) < 0 ? third : settings.publishTimeout;
    Duration longest = sending.plus(third);
    return longest.compareTo(FAREWELL) < 0 ? longest : FAREWELL;
  }

  /**
   * Lets the timer record the batches in progress, and ends it. Returns false if this thread was
   * interrupted.
   */
  private boolean endTimer() {
    try {
      if (!timer.isShutdown()) { // an earlier call may have ended it
        batch.recordRunning(threads);
      }
      timer.shutdown();
      boolean unused = timer.awaitTermination(LAST_RECORD.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException interrupt) {
      return false;
    } finally {
      timer.shutdownNow();
    }
  }

  /** Waits for the threads until the limit. Returns false if this thread was interrupted. */
  private boolean join(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      }
      return true;
    } catch (InterruptedException interrupt) {
      return false;
    }
  }

  private void maintain() {
    try {
      CreatedPartitions created = store.createPartitions(PARTITIONS_AHEAD);
      Optional<RemovedPartitions> removed = store.removePartitions(settings.retention);
      if (!created.postponed().isEmpty()
          || removed.filter(each -> !each.postponed().isEmpty()).isPresent()) {
        LOG.info("Partitions postponed created={} removed={}", created, removed);
      }
    } catch (Throwable failure) { // otherwise the timer would stop calling
      LOG.warn(
          "Outbox maintenance failed, tries again in an hour error={}", ErrorTexts.own(failure));
    }
  }

  /** Builds a {@link Relay}. Not thread-safe. */
  public static final class Builder {

    private static final long LARGEST_BATCH = 1L << 30;

    private final JobQueue queue;
    private final Publisher publisher;
    private String name = "relay-" + UUID.randomUUID().toString().substring(0, 8);
    private int threads = 1;
    private int shards = 8;
    private int batchSize = 500;
    private long batchBytes = 16L * 1024 * 1024;
    private Duration lease = Duration.ofSeconds(30);
    private Duration publishTimeout = Duration.ofSeconds(60);
    private Duration pollInterval = Duration.ofSeconds(1);
    private Duration retention = Duration.ofDays(7);
    private Backoff backoff =
        Backoff.exponential(Duration.ofSeconds(1)).atMost(Duration.ofMinutes(5)).jitter(0.5);
    private int maxAttempts = 25;
    private Duration outageLimit = Duration.ofDays(1);
    private boolean skipDead;
    private UnaryOperator<String> redactor = UnaryOperator.identity();

    private Builder(JobQueue queue, Publisher publisher) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.publisher = Objects.requireNonNull(publisher, "publisher");
    }

    /**
     * Sets the name by which operators recognize the relay. Default: {@code relay-} and a random
     * suffix.
     *
     * @param name the name
     * @return this builder
     */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the number of threads. Each publishes one batch at a time. Default 1.
     *
     * @param threads 1 to 32
     * @return this builder
     */
    public Builder threads(int threads) {
      this.threads = require("Threads", threads, 1, 32);
      return this;
    }

    /**
     * Sets the maximum number of shards that a batch leases. A smaller number lets more threads and
     * processes publish at once. Default 8.
     *
     * @param shards 1 to 32
     * @return this builder
     */
    public Builder shards(int shards) {
      this.shards = require("Shards", shards, 1, 32);
      return this;
    }

    /**
     * Sets the approximate maximum number of events in a batch, which also limits the duplicates
     * after a crash. Default 500.
     *
     * @param events 1 to 10,000
     * @return this builder
     */
    public Builder batchSize(int events) {
      this.batchSize = require("Batch size", events, 1, 10_000);
      return this;
    }

    /**
     * Sets the approximate maximum size of the payloads in a batch, which is held in memory. A
     * batch ends with the event that exceeds this size. Events that are tried again may add as
     * much. Default 16 MiB.
     *
     * @param bytes 1 byte to 1 GiB
     * @return this builder
     */
    public Builder batchBytes(long bytes) {
      if (bytes < 1 || bytes > LARGEST_BATCH) {
        throw new IllegalArgumentException(
            "Batch bytes %d must be from 1 to %d.".formatted(bytes, LARGEST_BATCH));
      }
      this.batchBytes = bytes;
      return this;
    }

    /**
     * Sets how long a lease stays valid without renewal; after that, any relay may continue.
     * Default 30 s.
     *
     * @param lease 1 s to 1 h
     * @return this builder
     */
    public Builder lease(Duration lease) {
      this.lease = require("Lease", lease, Duration.ofSeconds(1), Duration.ofHours(1));
      return this;
    }

    /**
     * Sets how long the publisher may begin to send events of a batch; at least a third of the
     * lease. After that time, it finishes what it is sending, and the rest waits for another batch.
     * Default 60 s.
     *
     * @param timeout 1 ms to 1 h
     * @return this builder
     */
    public Builder publishTimeout(Duration timeout) {
      this.publishTimeout =
          require("Publish timeout", timeout, Duration.ofMillis(1), Duration.ofHours(1));
      return this;
    }

    /**
     * Sets the maximum time between two queries while there is nothing to publish. With wake-ups,
     * most events wait less. Default 1 s.
     *
     * @param interval 5 ms to 1 h
     * @return this builder
     */
    public Builder pollInterval(Duration interval) {
      this.pollInterval =
          require(
              "Poll interval",
              interval,
              Duration.ofMillis(RelayLoop.SHORTEST_WAIT),
              Duration.ofHours(1));
      return this;
    }

    /**
     * Sets how long published events are kept. They are removed in whole days. With zero, relays do
     * not keep them at all. All relays share one history, so give them the same retention: each
     * removes events that are older than its own retention. Default 7 days.
     *
     * @param retention 0 to 3,650 days
     * @return this builder
     */
    public Builder retention(Duration retention) {
      this.retention = require("Retention", retention, Duration.ZERO, Duration.ofDays(3_650));
      return this;
    }

    /**
     * Sets the wait after a failed attempt. Default: 1 s, doubling up to 5 min, half of it random.
     *
     * @param backoff the backoff
     * @return this builder
     */
    public Builder backoff(Backoff backoff) {
      this.backoff = Objects.requireNonNull(backoff, "backoff");
      return this;
    }

    /**
     * Sets the number of failed attempts after which an event is dead. Default 25, which is a
     * little more than an hour with the default backoff.
     *
     * @param attempts at least 1
     * @return this builder
     */
    public Builder maxAttempts(int attempts) {
      this.maxAttempts = require("Max attempts", attempts, 1, Integer.MAX_VALUE);
      return this;
    }

    /**
     * Sets how long the destination may be unavailable before failures of the publisher count as
     * attempts of the events that it was given. As long as the publisher throws exceptions and
     * returns no results, the relay cannot distinguish an outage from an event that the publisher
     * cannot process; after this time, it assumes the latter. An event on which the publisher fails
     * although it returned results for others is recognized sooner. Default 1 day.
     *
     * @param limit 0 to 3,650 days
     * @return this builder
     */
    public Builder outageLimit(Duration limit) {
      this.outageLimit = require("Outage limit", limit, Duration.ZERO, Duration.ofDays(3_650));
      return this;
    }

    /**
     * Makes an aggregate continue after a dead event, which is then missing at the destination
     * until it is redriven. By default, a dead event blocks its aggregate.
     *
     * @return this builder
     */
    public Builder skipDeadEvents() {
      this.skipDead = true;
      return this;
    }

    /**
     * Sets a function that removes secrets and personal data from the texts about failures before
     * they are stored with the event or logged. These texts are the reasons that the publisher
     * returns, and what it throws, with the stack trace. If the function throws or returns null, a
     * fixed sentence replaces the text. The default changes nothing.
     *
     * @param redactor safe for any number of threads; the {@code ErrorRedactor} of the workers can
     *     be passed as {@code redactor::redact}
     * @return this builder
     */
    public Builder redactor(UnaryOperator<String> redactor) {
      this.redactor = Objects.requireNonNull(redactor, "redactor");
      return this;
    }

    /**
     * Builds the relay, which does nothing until it is {@linkplain Relay#start started}.
     *
     * @return the relay
     */
    public Relay build() {
      return new Relay(this);
    }

    private static int require(String what, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            "%s %d must be from %d to %d.".formatted(what, value, least, most));
      }
      return value;
    }

    private static Duration require(String what, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            "%s %s must be from %s to %s.".formatted(what, value, least, most));
      }
      return value;
    }
  }
}
