package dev.skipjack.operations.read;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Combines exact counts, for the ranges of an index that were read to their end, with estimates for
 * the other ranges.
 *
 * <p>The ranges are the pending jobs of each queue, the dead jobs of each queue and kind, all
 * running jobs, and all waiting jobs. A range that was too long contains at least the jobs that
 * were counted.
 */
final class CountEstimates {

  private static final Comparator<JobCount> ORDER =
      Comparator.comparing(JobCount::queue)
          .thenComparing(JobCount::kind)
          .thenComparing(JobCount::status);

  private CountEstimates() {}

  /** Returns the counts in the order of the result. */
  static List<JobCount> sorted(Collection<JobCount> counts) {
    return counts.stream().sorted(ORDER).toList();
  }

  /**
   * Replaces the counts of ranges that were too long, adds the kinds that were not counted, and
   * adds a count of {@link JobCount#OTHERS} for each range that may contain further jobs.
   *
   * @param counted the counts, marked as estimated if their range was too long
   * @param sampled estimates for the whole table
   */
  static List<JobCount> merge(List<JobCount> counted, List<JobCount> sampled) {
    Set<JobCount> tooLong =
        counted.stream()
            .filter(JobCount::estimated)
            .map(CountEstimates::range)
            .collect(Collectors.toSet());
    Map<JobCount, JobCount> merged = new TreeMap<>(ORDER);
    counted.forEach(count -> merged.put(count, count));
    sampled.stream()
        .filter(estimate -> tooLong.contains(range(estimate)))
        .forEach(
            estimate ->
                merged.merge(
                    estimate,
                    estimate,
                    (seen, guessed) -> guessed.jobs() > seen.jobs() ? guessed : seen));
    tooLong.stream()
        .filter(range -> range.status() != JobStatus.DEAD) // a range of dead jobs has one kind
        .map(CountEstimates::others)
        .forEach(others -> merged.put(others, others));
    return List.copyOf(merged.values());
  }

  private static JobCount others(JobCount range) {
    return new JobCount(
        range.queue().isEmpty() ? JobCount.OTHERS : range.queue(),
        JobCount.OTHERS,
        range.status(),
        0,
        true);
  }

  /** Returns a count that represents the range of {@code count}. */
  private static JobCount range(JobCount count) {
    boolean byQueue = count.status() == JobStatus.PENDING || count.status() == JobStatus.DEAD;
    return new JobCount(
        byQueue ? count.queue() : "",
        count.status() == JobStatus.DEAD ? count.kind() : "",
        count.status(),
        0,
        true);
  }
}
