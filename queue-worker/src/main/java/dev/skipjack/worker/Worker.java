package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.JobRunner;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs from its queues and runs their handlers: in its own threads once it is started, or in
 * the calling thread of {@link #runUntilIdle()} and {@link #runNext()}.
 *
 * <pre>{@code
 * try (Worker worker = Worker.on(queue)
 *     .handle(SEND_WELCOME, (args, context) -> { mail(args); return Outcome.completed(); })
 *     .queue("emails", 20)
 *     .start()) { ... }
 * }</pre>
 *
 * <p>The worker claims only jobs of kinds that have a handler, and only as many as fit into its
 * free slots and its buffer. It renews the lease of a job from the claim until the outcome is
 * written. If the database is unavailable, a started worker keeps trying and recovers without a
 * restart.
 *
 * <p>A started worker keeps the JVM alive until it is stopped. Safe for any number of threads.
 */
public final class Worker implements JobRunner, AutoCloseable {

  /** The maximum number of jobs in one claim when the calling thread runs them. */
  private static final int CALLER_BATCH = 50;

  /** The maximum number of kinds and of schedules in the log line of the start. */
  private static final int MOST_NAMES = 10;

  private enum State {
    IDLE,
    STARTED,
    STOPPED
  }

  private final QueueAccess access;
  private final HandlerRegistry handlers;
  private final Map<String, Integer> concurrency;
  private final WorkerConfig config;
  private final LaneOrder order;
  private final Duration fastClaim;
  private final StackSampler.Pace sampling;
  private final PayloadBudget payloads = PayloadBudget.ofHeap();
  private final WorkerId id;
  private final HandlerThreads handlerThreads;
  private final List<ExecutionInterceptor> interceptors;
  private final ErrorRedactor redactor;
  private final List<Schedule> schedules;
  private final Reporter reporter;
  private final Vitals vitals;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Locked by the thread that is in {@link #runUntilIdle()} or {@link #runNext()}. */
  private final Object callerLock = new Object();

  private State state = State.IDLE;
  private @Nullable BackgroundRun background;
  private @Nullable Engine engine;
  private @Nullable CallerRun callerRun;
  private Runnable removeGauges = () -> {};

  private Worker(Builder builder) {
    this.access = builder.access;
    this.handlers = new HandlerRegistry(builder.handlers);
    this.concurrency = new LinkedHashMap<>(builder.queues);
    this.config = builder.config;
    this.order = builder.order;
    this.fastClaim = builder.fastClaim;
    this.sampling = builder.sampling;
    this.id = WorkerId.boot(builder.name == null ? HostName.get() : builder.name);
    this.handlerThreads = builder.handlerThreads;
    this.interceptors = List.copyOf(builder.interceptors);
    this.redactor = builder.redactor;
    this.schedules = List.copyOf(builder.schedules.values());
    this.reporter = new Reporter(builder.listeners, builder.metrics, id.name(), builder.failureLog);
    this.vitals = new Vitals(reporter);
  }

  /**
   * {@return a builder of a worker that claims jobs through {@code access}, which it neither owns
   * nor closes}
   *
   * @param access the queue
   */
  public static Builder on(QueueAccess access) {
    return new Builder(access);
  }

  /** {@return the worker's name and boot id, as recorded in the audit} */
  public WorkerId id() {
    return id;
  }

  /** {@return the types of the jobs that the worker handles, in the order of their kinds} */
  public List<JobType<?>> types() {
    List<JobType<?>> types = new ArrayList<>();
    handlers.all().forEach(registration -> types.add(registration.type()));
    return List.copyOf(types);
  }

  /** {@return the queues that the worker serves, in the order in which they were added} */
  public List<String> queues() {
    return List.copyOf(concurrency.keySet());
  }

  /** {@return the schedules that the worker declares, in the order in which they were added} */
  public List<Schedule> schedules() {
    return schedules;
  }

  /**
   * {@return the numbers of jobs that the worker holds now} Jobs change while they are counted, so
   * the numbers may be off by a few jobs.
   */
  public WorkerStatus status() {
    Engine held;
    boolean started;
    synchronized (this) {
      held = engine;
      started = state == State.STARTED;
    }
    int buffered = 0;
    int running = 0;
    int unwritten = 0;
    int stuck = 0;
    for (Attempt attempt : held == null ? List.<Attempt>of() : held.running().all()) {
      if (attempt.isBuffered()) {
        buffered++;
      } else if (attempt.isRunning()) {
        running++;
        stuck += attempt.isStuck() ? 1 : 0;
      } else {
        unwritten++;
      }
    }
    return new WorkerStatus(started, buffered, running, unwritten, stuck);
  }

  /** {@return the worker's current health, for probes} Does not use the database. */
  public WorkerHealth health() {
    BackgroundRun running;
    boolean started;
    synchronized (this) {
      running = background;
      started = state == State.STARTED;
    }
    return HealthRules.judge(
        started,
        running == null ? List.of() : running.dead(),
        running == null ? List.of() : running.troubles(),
        config,
        vitals,
        reporter.database(),
        reporter.handlers(),
        running == null ? null : running.saturation());
  }

  /**
   * Starts the worker, which then claims and runs jobs in its own threads.
   *
   * @return this worker
   * @throws IllegalStateException if the worker was started or stopped before, if {@link
   *     #runUntilIdle()} or {@link #runNext()} is running in another thread, or if the connection
   *     pool is too small
   */
  public Worker start() {
    int kept;
    synchronized (this) {
      require(State.IDLE, "start");
      if (callerRun != null) {
        throw new IllegalStateException(
            "Worker %s is running jobs in a calling thread. Start it when that run has ended, or build another worker."
                .formatted(id));
      }
      kept = Connections.require(access, config);
      WorkerThreads threads = new WorkerThreads(id.name());
      Wakeup claimWakeup = new Wakeup();
      Map<String, ServedQueue> queues = serve(claimWakeup);
      Engine.Parts parts = parts();
      engine = new Engine(parts, access.leases(), threads);
      background =
          new BackgroundRun(
              engine,
              parts,
              newClaimer(queues, order),
              queues.values(),
              claimWakeup,
              WorkerRows.of(id, concurrency, handlers.kinds(), config, order, handlerThreads),
              schedules,
              vitals,
              threads);
      background.start();
      state = State.STARTED;
    }
    showGauges();
    LOG.info(
        "Worker started worker={} queues={} kinds={} schedules={}",
        id,
        concurrency,
        shortened(handlers.kinds()),
        shortened(schedules.stream().map(Schedule::name).toList()));
    if (LOG.isDebugEnabled()) {
      LOG.debug("Worker settings worker={} {}", id, settings(kept));
    }
    warnOfUnservedQueues();
    return this;
  }

  /** Returns the first names of a list, so that a line of the log stays short. */
  static List<String> shortened(List<String> names) {
    if (names.size() <= MOST_NAMES) {
      return names;
    }
    List<String> shortened = new ArrayList<>(names.subList(0, MOST_NAMES));
    shortened.add("and %d more".formatted(names.size() - MOST_NAMES));
    return shortened;
  }

  /**
   * Returns the settings of the worker as text for the log.
   *
   * @param kept the number of connections that the worker keeps for itself
   */
  String settings(int kept) {
    return "kinds=%s schedules=%s reserve=%s weights=%s handlerThreads=%s connectionsKept=%d %s"
        .formatted(
            handlers.kinds(),
            schedules.stream().map(Schedule::name).toList(),
            order.reserve(),
            order.weights(),
            handlerThreads,
            kept,
            config.inWords());
  }

  /**
   * Registers the gauges. Called without the lock, because a registry that reads the gauges
   * immediately needs it.
   */
  private void showGauges() {
    Runnable removal = reporter.gauges(id, this::status, this::health);
    boolean stoppedMeanwhile;
    synchronized (this) {
      stoppedMeanwhile = state == State.STOPPED;
      removeGauges = removal;
    }
    if (stoppedMeanwhile) {
      removal.run();
    }
  }

  /**
   * Warns of job types whose default queue this worker does not serve. It is only a warning,
   * because a job may be enqueued into any queue.
   */
  private void warnOfUnservedQueues() {
    for (Registration<?> registration : handlers.all()) {
      String queue = registration.type().queue();
      if (!concurrency.containsKey(queue)) {
        LOG.warn(
            "Handler registered for a kind whose default queue this worker does not serve;"
                + " add queue(name, concurrency), unless another worker serves it kind={} queue={}",
            registration.type().kind(),
            queue);
      }
    }
  }

  /**
   * Stops the worker gracefully. The worker claims no more jobs and releases those that have not
   * begun. Handlers may continue until the drain timeout. After that, the rest are interrupted and
   * their jobs released. Then the worker writes the outcomes, and finally it stops renewing leases.
   * The attempt of a released job does not count.
   *
   * <p>Returns when all of this is done, at most four seconds after the drain timeout. Several
   * threads may call it. A call of {@link #stopNow()} or an interrupt of the caller ends the wait
   * for handlers early. If {@link #runUntilIdle()} is running in another thread, it ends after its
   * current attempt, and this method does not wait for it. A handler must not call this method,
   * because it would wait for itself.
   */
  public void stop() {
    BackgroundRun running;
    synchronized (this) {
      boolean first = state != State.STOPPED;
      state = State.STOPPED;
      running = first ? background : null;
      if (callerRun != null) {
        callerRun.stop();
      }
      if (first && running == null) {
        stopped.countDown();
      }
    }
    if (running == null) {
      awaitStopped();
      return;
    }
    LOG.info("Worker stopping worker={}", id);
    try {
      running.stop();
    } finally {
      removeGauges.run();
      stopped.countDown();
    }
    LOG.info("Worker stopped worker={}", id);
  }

  /**
   * Stops the worker without letting handlers finish: interrupts them, releases their jobs without
   * counting the attempts, and writes the outcomes of handlers that have ended. If another thread
   * is waiting for handlers in {@link #stop()}, that wait ends too, so an application can call this
   * method on a second termination signal. Returns within four seconds.
   *
   * <p>If {@link #runUntilIdle()} is running in another thread, its current attempt is interrupted
   * and released too. A handler must not call this method.
   */
  public void stopNow() {
    BackgroundRun running;
    CallerRun calling;
    synchronized (this) {
      running = background;
      calling = callerRun;
    }
    if (running != null) {
      running.hurry();
    }
    if (calling != null) {
      calling.stopNow();
    }
    stop();
  }

  private void awaitStopped() {
    try {
      stopped.await();
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the worker gracefully, as {@link #stop()} does. */
  @Override
  public void close() {
    stop();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Returns early if the thread is interrupted. Claims up to 50 jobs at a time, and waits until
   * their outcomes are written. Within a queue, it claims by priority, then due time, then id.
   *
   * <p>Waits for listeners until they have received all events of the run. If the thread was
   * interrupted or the worker was stopped, this method waits at most two seconds and then drops the
   * remaining events.
   *
   * @throws IllegalStateException if the worker was started or stopped, or if a handler or listener
   *     of the current run calls this method
   * @throws dev.skipjack.api.StoreException if the database is unavailable or refuses the claim
   */
  @Override
  public int runUntilIdle() {
    return run(CALLER_BATCH, Integer.MAX_VALUE);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Waits for outcomes and listeners as {@link #runUntilIdle()} does.
   *
   * @throws IllegalStateException in the same cases as {@link #runUntilIdle()}
   * @throws dev.skipjack.api.StoreException if the database is unavailable or refuses the claim
   */
  @Override
  public boolean runNext() {
    return run(1, 1) > 0;
  }

  private int run(int batch, int batches) {
    refuseInsideRun();
    synchronized (callerLock) {
      Map<String, ServedQueue> queues = serve(new Wakeup());
      // A pool of one connection is enough here, so none is kept for the leases.
      Engine.Parts parts = parts();
      Engine own = new Engine(parts, new StoreLeases(access.store()), new WorkerThreads(id.name()));
      Claimer claimer = newClaimer(queues, order.withoutReserve()).carefully();
      CallerRun calling =
          new CallerRun(
              own,
              claimer,
              own.newLostClaims(),
              access.orderedJobs(),
              access.ownedJobs(),
              queues.values(),
              reporter,
              batch);
      synchronized (this) {
        require(State.IDLE, "run jobs in the calling thread");
        engine = own;
        callerRun = calling;
      }
      try {
        return calling.run(batches);
      } finally {
        synchronized (this) {
          callerRun = null;
        }
      }
    }
  }

  /**
   * Rejects a call from inside a run. Otherwise the outer run would continue without listeners, or
   * wait indefinitely for the listener that made the call.
   */
  private void refuseInsideRun() {
    if (Thread.holdsLock(callerLock)) {
      throw new IllegalStateException(
          "Worker %s is already running jobs in this thread, so a handler cannot run more of them. Use another worker."
              .formatted(id));
    }
    if (reporter.isCallingListeners()) {
      throw new IllegalStateException(
          "A listener of worker %s cannot run jobs, because the current run waits for it. Use another worker."
              .formatted(id));
    }
  }

  private void require(State required, String what) {
    if (state != required) {
      throw new IllegalStateException(
          state == State.STARTED
              ? "Worker %s is started. Stop it, or let it run the jobs.".formatted(id)
              : "Worker %s cannot %s: it was stopped. Build a new one.".formatted(id, what));
    }
  }

  private Map<String, ServedQueue> serve(Wakeup claimWakeup) {
    Map<String, ServedQueue> queues = new LinkedHashMap<>();
    concurrency.forEach(
        (name, threads) ->
            queues.put(
                name,
                new ServedQueue(
                    name, threads, config.prefetch(), claimWakeup, order.reserve(), payloads)));
    return queues;
  }

  private Engine.Parts parts() {
    return new Engine.Parts(
        access, handlers, interceptors, config, id, handlerThreads, redactor, sampling, reporter);
  }

  private Claimer newClaimer(Map<String, ServedQueue> queues, LaneOrder order) {
    return new Claimer(
        access.store(),
        id,
        handlers.kinds(),
        config.lease(),
        queues,
        order,
        new LowWaterMarks(fastClaim),
        payloads,
        System::nanoTime,
        vitals);
  }

  /** Builds a {@link Worker}. Not thread-safe. */
  public static final class Builder {

    private static final int LARGEST_CONCURRENCY = 10_000;

    private final QueueAccess access;
    private final Map<String, Registration<?>> handlers = new LinkedHashMap<>();
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private final Map<String, Schedule> schedules = new LinkedHashMap<>();
    private final List<WorkerListener> listeners = new ArrayList<>();
    private WorkerConfig config = WorkerConfig.defaults();
    private LaneOrder order = LaneOrder.fair();
    private final List<ExecutionInterceptor> interceptors = new ArrayList<>();
    private WorkerMetrics metrics = WorkerMetrics.NONE;
    private HandlerThreads handlerThreads = HandlerThreads.automatic();
    private ErrorRedactor redactor = ErrorRedactor.NONE;
    private FailureLog failureLog = FailureLog.standard();
    private Duration fastClaim = LowWaterMarks.FAST;
    private StackSampler.Pace sampling = StackSampler.Pace.STANDARD;
    private @Nullable String name;

    private Builder(QueueAccess access) {
      this.access = Objects.requireNonNull(access, "The queue must not be null.");
    }

    /**
     * Adds the handler of a job type. The handler runs the jobs of the type's kind in every queue
     * that the worker serves.
     *
     * @param <T> the type of the payload
     * @param type the jobs' type
     * @param handler runs the jobs
     * @return this builder
     * @throws IllegalArgumentException if the kind already has a handler
     * @throws PayloadException if the queue's codec cannot decode the type's payload class, so that
     *     every attempt would fail
     */
    public <T> Builder handle(JobType<T> type, Handler<T> handler) {
      Objects.requireNonNull(type, "The job type must not be null.");
      Objects.requireNonNull(
          handler, () -> "The handler of kind '%s' must not be null.".formatted(type.kind()));
      access.codec().requireReadable(type.payloadClass());
      if (handlers.putIfAbsent(type.kind(), new Registration<>(type, handler)) != null) {
        throw new IllegalArgumentException(
            "Kind '%s' has a handler already. Register one handler for each kind."
                .formatted(type.kind()));
      }
      return this;
    }

    /**
     * Adds schedules, which the worker declares when it is started, as {@link
     * dev.skipjack.api.schedule.Schedules#declare(List)} does. A started worker also fires all
     * other schedules of the database, except those that need the code of another program. The
     * worker need not serve the queues of the jobs.
     *
     * @param schedule a schedule to declare
     * @param more further schedules to declare
     * @return this builder
     * @throws IllegalArgumentException if a schedule of that name was already added, or the queue
     *     does not support schedules
     * @throws PayloadException if the payload of a schedule is rejected
     */
    public Builder schedule(Schedule schedule, Schedule... more) {
      ScheduleStore store =
          access
              .scheduleStore()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "Schedule '%s' cannot be declared: the queue does not support schedules."
                              .formatted(schedule.name())));
      for (Schedule each : Stream.concat(Stream.of(schedule), Stream.of(more)).toList()) {
        store.require(each);
        if (schedules.putIfAbsent(each.name(), each) != null) {
          throw new IllegalArgumentException(
              "Schedule '%s' was already added. Give each schedule a name of its own."
                  .formatted(each.name()));
        }
      }
      return this;
    }

    /**
     * Adds a queue that the worker serves.
     *
     * @param name the name of the queue: 1 to 63 characters of {@code a-z 0-9 _ . -}
     * @param concurrency the maximum number of the queue's jobs that run at once in this worker, 1
     *     to 10,000
     * @return this builder
     * @throws IllegalArgumentException if a value is out of range or the queue was already added
     */
    public Builder queue(String name, int concurrency) {
      Names.requireQueue(name);
      if (concurrency < 1 || concurrency > LARGEST_CONCURRENCY) {
        throw new IllegalArgumentException(
            "Concurrency %d of queue '%s' is not in 1..%d."
                .formatted(concurrency, name, LARGEST_CONCURRENCY));
      }
      if (queues.putIfAbsent(name, concurrency) != null) {
        throw new IllegalArgumentException(
            "Queue '%s' is served already. Name each queue once.".formatted(name));
      }
      return this;
    }

    /**
     * Sets the worker's name, which appears in thread names, logs and the audit. Default: the
     * host's name.
     *
     * @param name the name, which must not be blank
     * @return this builder
     */
    public Builder name(String name) {
      if (name.isBlank()) {
        throw new IllegalArgumentException(
            "Worker name '%s' is blank. Set a name, or none to use the host's name."
                .formatted(name));
      }
      this.name = name;
      return this;
    }

    /**
     * Sets the settings. Default: {@link WorkerConfig#defaults()}.
     *
     * @param config the settings
     * @return this builder
     */
    public Builder config(WorkerConfig config) {
      this.config = config;
      return this;
    }

    /**
     * Sets the order in which due jobs are served. Default: {@link LaneOrder#fair()}.
     *
     * @param order the order of the lanes
     * @return this builder
     */
    public Builder order(LaneOrder order) {
      this.order = order;
      return this;
    }

    /**
     * Sets the threads that handlers run on. Default: {@link HandlerThreads#automatic()}.
     *
     * @param handlerThreads creates or provides the threads
     * @return this builder
     */
    public Builder handlerThreads(HandlerThreads handlerThreads) {
      this.handlerThreads = handlerThreads;
      return this;
    }

    /**
     * Adds an interceptor around every handler call. The first one added is outermost.
     *
     * @param interceptor called for each attempt, by many threads
     * @return this builder
     */
    public Builder interceptor(ExecutionInterceptor interceptor) {
      interceptors.add(interceptor);
      return this;
    }

    /**
     * Sets the receiver of measurements. Default: nothing is measured.
     *
     * @param metrics receives the measurements
     * @return this builder
     */
    public Builder metrics(WorkerMetrics metrics) {
      this.metrics = metrics;
      return this;
    }

    /**
     * Sets the redactor, through which the texts of errors and reasons pass before they are stored,
     * reported to listeners and logged. Default: texts are not redacted.
     *
     * @param redactor called for each text, by many threads
     * @return this builder
     */
    public Builder redactor(ErrorRedactor redactor) {
      this.redactor = redactor;
      return this;
    }

    /**
     * Sets how failed attempts and dead jobs are logged. Default: {@link FailureLog#standard()}.
     *
     * @param failureLog how failures are logged
     * @return this builder
     */
    public Builder failureLog(FailureLog failureLog) {
      this.failureLog = failureLog;
      return this;
    }

    /** Sets the duration above which a claim indicates that the database is slow, for tests. */
    Builder fastClaim(Duration fastClaim) {
      this.fastClaim = fastClaim;
      return this;
    }

    /** Sets when the stacks of long attempts are sampled, for tests. */
    Builder sampling(StackSampler.Pace pace) {
      this.sampling = pace;
      return this;
    }

    /**
     * Adds a listener for the worker's events. Several listeners may be added.
     *
     * @param listener receives the events
     * @return this builder
     */
    public Builder listener(WorkerListener listener) {
      listeners.add(listener);
      return this;
    }

    /**
     * Builds the worker without starting it.
     *
     * @return the worker
     * @throws IllegalArgumentException if no queue or no handler was added, or if the order names a
     *     queue that was not added
     */
    public Worker build() {
      if (queues.isEmpty()) {
        throw new IllegalArgumentException(
            "The worker serves no queue. Name one with queue(name, concurrency).");
      }
      if (handlers.isEmpty()) {
        throw new IllegalArgumentException(
            "The worker has no handler. Register one with handle(type, handler).");
      }
      for (String queue : order.weights().keySet()) {
        if (!queues.containsKey(queue)) {
          throw new IllegalArgumentException(
              "Queue '%s' has a weight but is not served. Serve it with queue(name, concurrency), or leave it out."
                  .formatted(queue));
        }
      }
      return new Worker(this);
    }

    /**
     * Builds and starts the worker, as {@link #build()} followed by {@link Worker#start()}.
     *
     * @return the worker
     */
    public Worker start() {
      return build().start();
    }
  }
}
