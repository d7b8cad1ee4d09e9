package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.SchemaName;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * The settings of the queue and its worker.
 *
 * <p>Invalid values are rejected when the application starts, with the name and the origin of the
 * property. The descriptions of the parameters are shown by IDEs.
 *
 * @param enabled Whether the starter configures anything. If false, the application has no queue
 *     and no Jobs bean.
 * @param schema Schema of the queue's tables.
 * @param migrate What happens to the queue's tables at start.
 * @param enqueue How jobs are enqueued.
 * @param queues Queues that the worker serves, by name. If none is set, the worker serves the
 *     queues of its handlers' job types.
 * @param worker The worker.
 * @param observation The observations of enqueues and attempts.
 * @param dashboard The web pages for operators.
 */
@ConfigurationProperties("skipjack")
public record SkipjackProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue(JobQueue.DEFAULT_SCHEMA) String schema,
    @DefaultValue("true") Migrate migrate,
    @DefaultValue Enqueue enqueue,
    @DefaultValue Map<String, Queue> queues,
    @DefaultValue Worker worker,
    @DefaultValue Observation observation,
    @DefaultValue Dashboard dashboard)
    implements Validator {

  private static final int LARGEST_CONCURRENCY = 10_000;
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

  /**
   * Makes a defensive copy of the queues.
   *
   * @param enabled whether the starter configures anything
   * @param schema the schema of the queue's tables
   * @param migrate what happens to the queue's tables at start
   * @param enqueue how jobs are enqueued
   * @param queues the queues that the worker serves, by name
   * @param worker the worker
   * @param observation the settings of observations
   * @param dashboard the settings of the dashboard
   */
  public SkipjackProperties {
    queues = Map.copyOf(queues);
  }

  /**
   * How jobs are enqueued.
   *
   * @param transaction How an enqueue uses the caller's transaction.
   */
  public record Enqueue(@DefaultValue("join") EnqueueTransaction transaction) {}

  /**
   * A queue that the worker serves.
   *
   * @param concurrency Maximum number of the queue's jobs that run at once in this application, 1
   *     to 10,000.
   */
  public record Queue(@DefaultValue("10") int concurrency) {}

  /**
   * The worker.
   *
   * @param enabled Whether the application runs jobs. If false, it only enqueues them and has no
   *     worker threads.
   * @param autoStartup Whether the worker starts with the application. If false, it starts when the
   *     application calls SkipjackWorker.start().
   * @param name Name of the worker in logs, thread names and the audit. Default: the host's name.
   * @param concurrency Maximum number of jobs that run at once in each queue, if no queue is
   *     configured, 1 to 10,000.
   * @param lease How long a claim stays valid without renewal; after that any worker may rescue the
   *     job.
   * @param pollInterval Time between polls of an idle queue.
   * @param drainTimeout How long running handlers may continue when the application stops.
   */
  public record Worker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("true") boolean autoStartup,
      @Nullable String name,
      @DefaultValue("10") int concurrency,
      @DefaultValue("30s") Duration lease,
      @DefaultValue("1250ms") Duration pollInterval,
      @DefaultValue("25s") Duration drainTimeout) {

    WorkerConfig config() {
      return WorkerConfig.builder()
          .lease(lease)
          .pollInterval(pollInterval)
          .drainTimeout(drainTimeout)
          .build();
    }
  }

  /**
   * The observations of enqueues and attempts, if {@code skipjack-observation} is on the class
   * path.
   *
   * @param childWithin Maximum time between an enqueue and the first attempt of its job for which
   *     this attempt is a part of the enqueuer's trace. Any other attempt has a trace of its own,
   *     with a link to that one.
   */
  public record Observation(@DefaultValue("1m") Duration childWithin) {}

  /**
   * The web pages for operators, if {@code skipjack-dashboard} is on the class path.
   *
   * @param enabled Whether the application serves the dashboard. Without an AccessRule bean, it
   *     responds only to requests of its own machine, and shows no payloads and no buttons.
   * @param path Path of the dashboard below the context path of the application.
   */
  public record Dashboard(
      @DefaultValue("false") boolean enabled, @DefaultValue("/skipjack") String path) {}

  /** Returns the concurrency of each queue that a worker with handlers of these types serves. */
  Map<String, Integer> served(List<JobType<?>> types) {
    Map<String, Integer> concurrency = new LinkedHashMap<>();
    queues.forEach((name, queue) -> concurrency.put(name, queue.concurrency()));
    if (concurrency.isEmpty()) {
      types.forEach(type -> concurrency.put(type.queue(), worker.concurrency()));
    }
    return concurrency;
  }

  /** {@inheritDoc} */
  @Override
  public boolean supports(Class<?> type) {
    return type == SkipjackProperties.class;
  }

  /** {@inheritDoc} */
  @Override
  public void validate(Object target, Errors errors) {
    check(errors, "schema", () -> SchemaName.require(schema));
    queues.forEach(
        (name, queue) -> {
          String field = "queues[" + name + "]";
          check(errors, field, () -> Names.requireQueue(name));
          concurrency(errors, field + ".concurrency", queue.concurrency());
        });
    concurrency(errors, "worker.concurrency", worker.concurrency());
    if (worker.name() != null && worker.name().isBlank()) {
      errors.rejectValue(
          "worker.name", "invalid", "The name is blank. Set a name, or leave it out.");
    }
    WorkerConfig.Builder config = WorkerConfig.builder();
    check(errors, "worker.lease", () -> config.lease(worker.lease()).build());
    WorkerConfig.Builder polls = WorkerConfig.builder();
    check(errors, "worker.pollInterval", () -> polls.pollInterval(worker.pollInterval()).build());
    WorkerConfig.Builder drain = WorkerConfig.builder();
    check(errors, "worker.drainTimeout", () -> drain.drainTimeout(worker.drainTimeout()).build());
    if (observation.childWithin().isNegative()) {
      errors.rejectValue(
          "observation.childWithin",
          "invalid",
          "Duration %s must not be negative.".formatted(observation.childWithin()));
    }
    if (!PATH.matcher(dashboard.path()).matches()) {
      errors.rejectValue(
          "dashboard.path",
          "invalid",
          "Path '%s' must be like /skipjack or /ops/jobs: letters, digits, '.', '_', '~' and '-' after each slash."
              .formatted(dashboard.path()));
    }
  }

  private static void concurrency(Errors errors, String field, int value) {
    if (value < 1 || value > LARGEST_CONCURRENCY) {
      errors.rejectValue(
          field,
          "invalid",
          "Concurrency %d is not in 1..%d.".formatted(value, LARGEST_CONCURRENCY));
    }
  }

  private static void check(Errors errors, String field, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException invalid) {
      errors.rejectValue(field, "invalid", String.valueOf(invalid.getMessage()));
    }
  }
}
