package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.store.jooq.JobQueue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queues that have jobs, settings or workers, ordered by name.
 *
 * @param workers the workers that were seen within about the last day
 * @param blocked the ordering keys that a dead job blocks
 * @param running the jobs whose attempt has run for {@link RunningJob#LONG} or longer
 */
record Overview(
    List<QueueOverview> queues,
    List<WorkerInfo> workers,
    List<BlockedKey> blocked,
    List<RunningJob> running) {

  /** Reads the overview, with one query for each of its parts. */
  static Overview read(JobQueue queue) {
    Map<String, Map<JobStatus, Long>> jobs = new TreeMap<>();
    Map<String, Boolean> estimated = new LinkedHashMap<>();
    for (JobCount count : queue.reader().counts()) {
      if (!count.queue().equals(JobCount.OTHERS)) {
        jobs.computeIfAbsent(count.queue(), name -> new LinkedHashMap<>())
            .merge(count.status(), count.jobs(), Long::sum);
        estimated.merge(count.queue(), count.estimated() || count.isOthers(), Boolean::logicalOr);
      }
    }
    List<QueueState> states = queue.reader().queues();
    List<WorkerInfo> workers = queue.reader().workers();
    states.forEach(state -> jobs.putIfAbsent(state.queue(), Map.of()));
    workers.forEach(worker -> worker.queues().forEach(name -> jobs.putIfAbsent(name, Map.of())));
    List<PendingAge> ages = queue.reader().oldestPending();
    List<QueueOverview> queues = new ArrayList<>();
    jobs.forEach(
        (name, counts) ->
            queues.add(
                new QueueOverview(
                    name,
                    counts,
                    estimated.getOrDefault(name, false),
                    named(ages, name, PendingAge::queue),
                    named(states, name, QueueState::queue),
                    workers.stream().filter(one -> one.queues().contains(name)).toList())));
    return new Overview(
        queues,
        workers,
        queue.reader().blockedKeys(),
        queue.reader().longestRunning(RunningJob.LONG, JobQuery.LARGEST));
  }

  private static <V> @Nullable V named(List<V> values, String name, Function<V, String> nameOf) {
    return values.stream()
        .filter(value -> nameOf.apply(value).equals(name))
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the overview of one queue, which is empty if the queue has no jobs, settings or
   * workers.
   */
  QueueOverview of(String name) {
    QueueOverview found = named(queues, name, QueueOverview::name);
    return found == null ? new QueueOverview(name, Map.of(), false, null, null, List.of()) : found;
  }

  long count(JobStatus status) {
    return queues.stream().mapToLong(queue -> queue.count(status)).sum();
  }

  /** Returns the JSON members that do not belong to a single queue. */
  Map<String, @Nullable Object> totals() {
    Map<String, @Nullable Object> totals = new LinkedHashMap<>();
    for (JobStatus status : JobStatus.values()) {
      if (status.isLive()) {
        totals.put(status.literal(), count(status));
      }
    }
    totals.put("workers", workers.size());
    totals.put("blocked_keys", blocked.size());
    totals.put("warnings", warnings());
    return totals;
  }

  String summary() {
    return "Pending %d, running %d, waiting %d, dead %d, workers %d"
        .formatted(
            count(JobStatus.PENDING),
            count(JobStatus.RUNNING),
            count(JobStatus.WAITING),
            count(JobStatus.DEAD),
            workers.size());
  }

  /** Returns a sentence for each problem that an operator should investigate. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (QueueOverview queue : queues) {
      if (queue.isPaused() && queue.count(JobStatus.PENDING) > 0) {
        warnings.add("Queue '%s' is paused and has pending jobs.".formatted(queue.name()));
      }
      boolean served = queue.workers().stream().anyMatch(WorkerInfo::isAlive);
      if (!served && queue.waited() != null) {
        warnings.add("Queue '%s' has due jobs, but no worker.".formatted(queue.name()));
      } else if (!served && queue.count(JobStatus.WAITING) > 0) {
        warnings.add("Queue '%s' has waiting jobs, but no worker.".formatted(queue.name()));
      }
    }
    if (!running.isEmpty()) {
      RunningJob longest = running.get(0);
      warnings.add(
          "%s run for %s or longer. Job %s has run longest, for %s."
              .formatted(
                  Cell.count(running.size(), "attempt has", "attempts have"),
                  Cell.duration(RunningJob.LONG),
                  longest.job().id(),
                  Cell.duration(longest.runsFor())));
    }
    long dead = count(JobStatus.DEAD);
    if (dead > 0) {
      warnings.add(
          "%s dead; 'skipjack dead list' shows why."
              .formatted(Cell.count(dead, "job is", "jobs are")));
    }
    if (!blocked.isEmpty()) {
      String first = Cell.of(blocked.get(0).orderingKey());
      warnings.add(
          blocked.size() == 1
              ? "A dead job blocks the ordering key '%s'.".formatted(first)
              : "%d ordering keys are blocked by dead jobs: '%s' and %d more."
                  .formatted(blocked.size(), first, blocked.size() - 1));
    }
    return warnings;
  }
}
