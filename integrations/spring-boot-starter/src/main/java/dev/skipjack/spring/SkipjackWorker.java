package dev.skipjack.spring;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.handlers.JobHandlers;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.ErrorRedactor;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.HandlerThreads;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerListener;
import dev.skipjack.worker.WorkerMetrics;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/**
 * Starts and stops the application's worker.
 *
 * <p>The worker is started after all other beans, and stopped before the web server, the connection
 * pool and the beans that its handlers use. Stopping waits for running handlers, at most for {@code
 * skipjack.worker.drain-timeout}. If no bean has a handler and there is no {@link
 * WorkerCustomizer}, no worker is started.
 *
 * <p>A context that is stopped and started again gets a new worker. Safe for any number of threads.
 */
public final class SkipjackWorker implements SmartLifecycle, DisposableBean {

  private static final Logger LOG = LoggerFactory.getLogger(SkipjackWorker.class);

  private static final String VIRTUAL = "spring.threads.virtual.enabled";

  private static final int FIRST_WITH_VIRTUAL = 21;

  private final JobQueue queue;
  private final SkipjackProperties properties;
  private final ConfigurableListableBeanFactory beans;
  private final Environment environment;
  private final HandledTypes handled;

  /** The lock that a thread holds while it stops the worker. */
  private final Object stopping = new Object();

  private @Nullable Worker worker;

  SkipjackWorker(
      JobQueue queue,
      SkipjackProperties properties,
      ConfigurableListableBeanFactory beans,
      Environment environment,
      HandledTypes handled) {
    this.queue = queue;
    this.properties = properties;
    this.beans = beans;
    this.environment = environment;
    this.handled = handled;
  }

  /**
   * Starts the worker.
   *
   * @throws IllegalArgumentException if a handler or a schedule is declared incorrectly, or a
   *     schedule enqueues jobs with another type than that of their handler
   */
  @Override
  public synchronized void start() {
    if (worker != null) {
      return;
    }
    Worker.Builder builder = builder(queue);
    if (builder == null) {
      LOG.info("Worker not started, because no bean has a handler");
      return;
    }
    Worker built = build(builder);
    worker = built.start();
  }

  /**
   * Builds another worker with the same handlers and settings, which is not started. Intended for
   * tests, which run jobs in the calling thread.
   *
   * @param access the access to the queue whose jobs the worker runs
   * @param last changes the worker after all {@link WorkerCustomizer} beans
   * @return the worker, or empty if no bean has a handler and there is no {@link WorkerCustomizer}
   * @throws IllegalArgumentException if a handler or a schedule is declared incorrectly, or a
   *     schedule enqueues jobs with another type than that of their handler
   */
  public Optional<Worker> build(QueueAccess access, WorkerCustomizer last) {
    Worker.Builder builder = builder(access);
    if (builder == null) {
      return Optional.empty();
    }
    last.customize(builder);
    return Optional.of(build(builder));
  }

  private Worker build(Worker.Builder builder) {
    Worker built = builder.build();
    handled.set(built.types(), built.queues());
    built
        .schedules()
        .forEach(
            schedule ->
                handled.requireSame(
                    schedule.type(), () -> "Schedule '%s'".formatted(schedule.name())));
    return built;
  }

  /** Returns the builder of a worker, or null if there is nothing to run. */
  private Worker.@Nullable Builder builder(QueueAccess access) {
    JobHandlers handlers = new HandlerBeans(beans).scan();
    List<WorkerCustomizer> customizers = all(WorkerCustomizer.class);
    if (handlers.types().isEmpty() && customizers.isEmpty()) {
      requireNoSchedule();
      return null;
    }
    Worker.Builder builder = Worker.on(access).config(properties.worker().config());
    handlers.addTo(builder);
    properties.served(handlers.types()).forEach(builder::queue);
    if (properties.worker().name() != null) {
      builder.name(properties.worker().name());
    }
    all(Schedule.class).forEach(builder::schedule);
    all(WorkerListener.class).forEach(builder::listener);
    all(ExecutionInterceptor.class).forEach(builder::interceptor);
    beans.getBeanProvider(WorkerMetrics.class).ifAvailable(builder::metrics);
    beans.getBeanProvider(ErrorRedactor.class).ifAvailable(builder::redactor);
    builder.handlerThreads(
        beans.getBeanProvider(HandlerThreads.class).getIfAvailable(this::handlerThreads));
    customizers.forEach(customizer -> customizer.customize(builder));
    return builder;
  }

  private <T> List<T> all(Class<T> type) {
    return beans.getBeanProvider(type).orderedStream().toList();
  }

  private void requireNoSchedule() {
    List<Schedule> schedules = all(Schedule.class);
    if (!schedules.isEmpty()) {
      throw new IllegalStateException(
          "Schedule '%s' cannot be declared, because no bean has a handler and so no worker is started. Add a bean with a @JobHandler method, or declare the schedule in another application."
              .formatted(schedules.get(0).name()));
    }
  }

  /**
   * Returns the threads that Spring Boot's property selects. Before Java 21, Spring Boot ignores
   * it.
   */
  private HandlerThreads handlerThreads() {
    Boolean virtual = environment.getProperty(VIRTUAL, Boolean.class);
    if (virtual == null || Runtime.version().feature() < FIRST_WITH_VIRTUAL) {
      return HandlerThreads.automatic();
    }
    return virtual ? HandlerThreads.virtual() : HandlerThreads.platform();
  }

  /** Stops the worker gracefully. If another thread is stopping it, waits until it has stopped. */
  @Override
  public void stop() {
    synchronized (stopping) {
      Worker stopped;
      synchronized (this) {
        stopped = worker;
        worker = null;
      }
      if (stopped != null) {
        stopped.stop();
      }
    }
  }

  /**
   * Stops the worker in a thread of its own, so that the relay stops at the same time. Afterwards,
   * Spring stops the beans that the handlers use.
   */
  @Override
  public void stop(Runnable callback) {
    new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "skipjack-worker-stop")
        .start();
  }

  /**
   * Stops the worker if Spring has not done so, because the start of another bean failed. Waits if
   * it is still stopping, because Spring waits for a limited time only.
   */
  @Override
  public void destroy() {
    stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return worker != null;
  }

  /** Returns {@code skipjack.worker.auto-startup}. */
  @Override
  public boolean isAutoStartup() {
    return properties.worker().autoStartup();
  }

  /** Returns the latest phase, so that the worker is started last and stopped first. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }

  /** {@return the running worker, or empty if none was started or it was stopped} */
  public synchronized Optional<Worker> worker() {
    return Optional.ofNullable(worker);
  }
}
