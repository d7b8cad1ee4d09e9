package dev.skipjack.torture;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The payload of all jobs of a run.
 *
 * @param key the key of the request, which is unique
 * @param failures number of attempts that do not succeed
 * @param millis how long an attempt runs
 * @param unique the unique key; empty if there is none
 * @param ordering the ordering key; empty if there is none
 * @param delay the delay after the enqueue, in milliseconds; 0 if there is none
 * @param at when the job is due, in microseconds since 1970; 0 if it is due after the delay
 * @param note a text that is also sent as a header; empty if there is none
 */
record Work(
    String key,
    Workload workload,
    int failures,
    int millis,
    String unique,
    String ordering,
    int delay,
    long at,
    String note) {

  static final String QUEUE = "torture";

  static final String HEADER = "torture-note";

  /**
   * The maximum number of attempts for jobs that must not become dead, even if their worker is
   * killed often.
   */
  static final int MANY_ATTEMPTS = 1_000;

  static final int ORDERING_KEYS = 6;

  private static final String STRICT = "strict";
  private static final String DEFAULT = "default";

  /** The maximum number of attempts for jobs that must become dead. */
  static final int FEW_ATTEMPTS = 3;

  private static final Map<Workload, JobType<Work>> TYPES = new EnumMap<>(Workload.class);

  static {
    for (Workload workload : Workload.values()) {
      TYPES.put(
          workload,
          JobType.of("torture-" + workload.label(), Work.class)
              .onQueue(QUEUE)
              .maxAttempts(workload == Workload.DOOMED ? FEW_ATTEMPTS : MANY_ATTEMPTS)
              .retry(Backoff.fixed(Handlers.RETRY_DELAY)));
    }
  }

  static Work scheduled(String key) {
    return new Work(key, Workload.SCHEDULED, 0, 0, "", "", 0, 0, "");
  }

  /** Returns a copy under another key, whose enqueue is rolled back. */
  Work discarded() {
    return new Work(
        key + "-discarded", workload, failures, millis, unique, ordering, delay, at, note);
  }

  /** Returns the queues of all jobs. */
  static List<String> queues() {
    List<String> queues = new ArrayList<>(LimitedWork.QUEUES);
    queues.add(QUEUE);
    queues.add(StepWork.FOLLOWERS);
    return queues;
  }

  /** Adds the time at which the job is due, and its header. */
  EnqueueOptions options(EnqueueOptions options) {
    EnqueueOptions noted = note.isEmpty() ? options : options.header(HEADER, note);
    if (at > 0) {
      return noted.at(Instant.EPOCH.plus(at, ChronoUnit.MICROS));
    }
    return delay > 0 ? noted.delay(Duration.ofMillis(delay)) : noted;
  }

  /** Returns the payload and the headers of a job as a text that is equal for equal jobs. */
  String content(Map<String, String> headers) {
    return this + " " + headers.getOrDefault(HEADER, "");
  }

  JobType<Work> type() {
    JobType<Work> type = type(workload);
    if (workload == Workload.LIMITED) {
      return type.onQueue(LimitedWork.queue(key)).groupedBy(work -> LimitedWork.group(work.key));
    }
    if (workload == Workload.STEPS) {
      return type.maxAttempts(isDoomed() ? FEW_ATTEMPTS : MANY_ATTEMPTS);
    }
    if (workload != Workload.ORDERED) {
      return type;
    }
    JobType<Work> ordered =
        type.orderedBy(Work::ordering)
            .orderingPolicy(policy(ordering))
            .maxAttempts(isDoomed() ? FEW_ATTEMPTS : MANY_ATTEMPTS);
    return isStrict(ordering) ? ordered.strictOrdering() : ordered;
  }

  /** Returns whether the job's attempts fail until it is dead. After a redrive, it may complete. */
  boolean isDoomed() {
    return workload == Workload.DOOMED
        || ((workload == Workload.ORDERED || workload == Workload.STEPS)
            && failures >= FEW_ATTEMPTS);
  }

  /**
   * Returns one of the ordering keys. For each policy there is one whose enqueues are strict, and
   * one whose enqueues are not.
   */
  static String orderingKey(int number) {
    OrderingPolicy[] policies = OrderingPolicy.values();
    boolean strict = number / policies.length % 2 == 1;
    return policies[number % policies.length].literal() + '-' + (strict ? STRICT : DEFAULT);
  }

  static boolean isStrict(String orderingKey) {
    return orderingKey.endsWith('-' + STRICT);
  }

  static OrderingPolicy policy(String orderingKey) {
    return OrderingPolicy.valueOf(
        orderingKey.substring(0, orderingKey.indexOf('-')).toUpperCase(Locale.ROOT));
  }

  static JobType<Work> type(Workload workload) {
    return Objects.requireNonNull(TYPES.get(workload));
  }
}
