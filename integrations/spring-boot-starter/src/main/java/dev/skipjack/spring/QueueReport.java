package dev.skipjack.spring;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue that has jobs, settings or workers, as the actuator endpoint shows it.
 *
 * @param pausedUntil when the pause ends on its own; null if it has no end or there is no pause
 * @param oldestDueSeconds how long the oldest due job has been due; null if no job is due
 * @param estimated whether any of the numbers of jobs is an estimate
 * @param workers the number of workers in {@link JobReader#workers} that serve the queue, including
 *     those that were killed within about the last day
 */
record QueueReport(
    String name,
    boolean paused,
    @Nullable Instant pausedUntil,
    @Nullable String pausedBy,
    @Nullable String pauseReason,
    long pending,
    @Nullable Long oldestDueSeconds,
    long running,
    long waiting,
    long dead,
    boolean estimated,
    long workers) {

  /** Returns the queues, ordered by name. */
  static List<QueueReport> all(JobReader reader) {
    Map<String, Map<JobStatus, Long>> jobs = new TreeMap<>();
    Set<String> estimated = new HashSet<>();
    for (JobCount count : reader.counts()) {
      if (!count.queue().equals(JobCount.OTHERS)) {
        jobs.computeIfAbsent(count.queue(), name -> new EnumMap<>(JobStatus.class))
            .merge(count.status(), count.jobs(), Long::sum);
        if (count.estimated() || count.isOthers()) {
          estimated.add(count.queue());
        }
      }
    }
    List<QueueState> states = reader.queues();
    List<WorkerInfo> workers = reader.workers();
    List<PendingAge> ages = reader.oldestPending();
    states.forEach(state -> jobs.putIfAbsent(state.queue(), Map.of()));
    workers.forEach(worker -> worker.queues().forEach(name -> jobs.putIfAbsent(name, Map.of())));
    List<QueueReport> reports = new ArrayList<>();
    jobs.forEach(
        (name, counts) ->
            reports.add(
                of(
                    name,
                    counts,
                    named(states, QueueState::queue, name),
                    named(ages, PendingAge::queue, name),
                    estimated.contains(name),
                    workers.stream().filter(worker -> worker.queues().contains(name)).count())));
    return reports;
  }

  private static QueueReport of(
      String name,
      Map<JobStatus, Long> counts,
      Optional<QueueState> state,
      Optional<PendingAge> oldest,
      boolean estimated,
      long workers) {
    return new QueueReport(
        name,
        state.map(QueueState::paused).orElse(false),
        state.map(QueueState::pausedUntil).orElse(null),
        state.map(QueueState::pausedBy).orElse(null),
        state.map(QueueState::pauseReason).orElse(null),
        counts.getOrDefault(JobStatus.PENDING, 0L),
        oldest
            .map(PendingAge::age)
            .filter(age -> !age.isZero())
            .map(Duration::toSeconds)
            .orElse(null),
        counts.getOrDefault(JobStatus.RUNNING, 0L),
        counts.getOrDefault(JobStatus.WAITING, 0L),
        counts.getOrDefault(JobStatus.DEAD, 0L),
        estimated,
        workers);
  }

  private static <V> Optional<V> named(List<V> values, Function<V, String> nameOf, String name) {
    return values.stream().filter(value -> nameOf.apply(value).equals(name)).findFirst();
  }
}
