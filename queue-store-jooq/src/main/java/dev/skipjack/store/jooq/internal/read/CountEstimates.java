package dev.skipjack.store.jooq.internal.read;

import dev.skipjack.api.JobCount;
import dev.skipjack.api.JobStatus;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Exact counts where the look at the index came to an end, estimates where it did not.
 *
 * <p>The look is by stretch: the pending jobs of a queue, the dead ones of a queue and kind, all
 * that run, all that wait. In a stretch that was too long nothing is known for certain but that
 * there are at least as many as were seen.
 */
final class CountEstimates {

  private static final Comparator<JobCount> ORDER =
      Comparator.comparing(JobCount::queue)
          .thenComparing(JobCount::kind)
          .thenComparing(JobCount::status);

  private CountEstimates() {}

  /** The counts in the order of the answer. */
  static List<JobCount> sorted(Collection<JobCount> counts) {
    return counts.stream().sorted(ORDER).toList();
  }

  /**
   * Replaces the counts of the stretches that were too long, adds the kinds that were not seen, and
   * says where there may be others still.
   *
   * @param counted as far as was looked, marked where that was not to the end
   * @param sampled of the whole table
   */
  static List<JobCount> merge(List<JobCount> counted, List<JobCount> sampled) {
    Set<JobCount> tooLong =
        counted.stream()
            .filter(JobCount::estimated)
            .map(CountEstimates::stretch)
            .collect(Collectors.toSet());
    Map<JobCount, JobCount> merged = new TreeMap<>(ORDER);
    counted.forEach(count -> merged.put(count, count));
    sampled.stream()
        .filter(estimate -> tooLong.contains(stretch(estimate)))
        .forEach(
            estimate ->
                merged.merge(
                    estimate,
                    estimate,
                    (seen, guessed) -> guessed.jobs() > seen.jobs() ? guessed : seen));
    tooLong.stream()
        .filter(stretch -> stretch.status() != JobStatus.DEAD) // a stretch is one group there
        .map(CountEstimates::others)
        .forEach(others -> merged.put(others, others));
    return List.copyOf(merged.values());
  }

  private static JobCount others(JobCount stretch) {
    return new JobCount(
        stretch.queue().isEmpty() ? JobCount.OTHERS : stretch.queue(),
        JobCount.OTHERS,
        stretch.status(),
        0,
        true);
  }

  /** A count that stands for the stretch which a count belongs to. */
  private static JobCount stretch(JobCount count) {
    boolean byQueue = count.status() == JobStatus.PENDING || count.status() == JobStatus.DEAD;
    return new JobCount(
        byQueue ? count.queue() : "",
        count.status() == JobStatus.DEAD ? count.kind() : "",
        count.status(),
        0,
        true);
  }
}
