package dev.skipjack.torture;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** The load of a run. */
public enum Load {
  /** Jobs, and a tenth as many transactions that record events. */
  ALL(3, 4),
  /** Jobs only. */
  JOBS(3, 0),
  /** Events only: 64 producers in four processes, and relays in four. */
  OUTBOX(4, 16),
  /** Schedules only, together with odd ones. */
  SCHEDULES(3, 0),
  /** Jobs with a limit only. */
  LIMITED(3, 0),
  /** Jobs with durable steps only. */
  STEPS(3, 0);

  private static final int JOBS_PER_EVENT = 10;

  private final int processes;
  private final int eventProducers;

  Load(int processes, int eventProducers) {
    this.processes = processes;
    this.eventProducers = eventProducers;
  }

  /** Returns the number of producer processes, and of worker processes. */
  int processes() {
    return processes;
  }

  /** Returns the number of threads that record events in each producer process. */
  int eventProducers() {
    return eventProducers;
  }

  boolean hasJobs() {
    return this != OUTBOX;
  }

  boolean hasOutbox() {
    return eventProducers > 0;
  }

  /** Returns how many jobs to enqueue if the given number was requested. */
  int jobs(int requested) {
    return switch (this) {
      case ALL, JOBS, LIMITED, STEPS -> requested;
      case OUTBOX, SCHEDULES -> 0;
    };
  }

  /** Returns how many rows workers take if the given number of jobs was requested. */
  int rows(int requested) {
    return this == LIMITED || this == STEPS ? 0 : jobs(requested) / JOBS_PER_EVENT;
  }

  /** Returns how many transactions record an event if the given number of jobs was requested. */
  int events(int requested) {
    return switch (this) {
      case ALL -> requested / JOBS_PER_EVENT;
      case JOBS, SCHEDULES, LIMITED, STEPS -> 0;
      case OUTBOX -> requested;
    };
  }

  /** Returns the function that chooses the workload of an enqueue. */
  Function<RandomGenerator, Workload> mix() {
    return switch (this) {
      case LIMITED -> random -> Workload.LIMITED;
      case STEPS -> random -> Workload.STEPS;
      case ALL, JOBS, OUTBOX, SCHEDULES -> WorkSource::draw;
    };
  }

  /** Returns the odd rows that are inserted during the run; empty if there are none. */
  Optional<OddRows.Source> oddRows() {
    return switch (this) {
      case ALL, JOBS, LIMITED, STEPS -> Optional.empty();
      case OUTBOX -> Optional.of(OddEvents.source());
      case SCHEDULES -> Optional.of(OddSchedules.rows());
    };
  }

  /** Returns the name in options and reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses a label.
   *
   * @throws IllegalArgumentException if it is unknown, with a message for the user
   */
  public static Load parse(String label) {
    return Arrays.stream(values())
        .filter(load -> load.label().equals(label))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Unknown workload '%s' in --workload. Available workloads: %s."
                        .formatted(
                            label,
                            Arrays.stream(values())
                                .map(Load::label)
                                .collect(Collectors.joining(", ")))));
  }
}
