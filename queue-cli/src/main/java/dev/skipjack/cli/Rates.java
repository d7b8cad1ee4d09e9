package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Computes how many jobs per second enter and leave each queue, from the latest 500 ended jobs and
 * the change in the number of live jobs since the last reading. The rates of queues without an
 * archive are too low, because their ended jobs are not listed.
 */
final class Rates {

  private static final double NANOS_PER_SECOND = 1e9;

  private final Map<String, Double> out = new HashMap<>();
  private final Map<String, Double> in = new HashMap<>();
  private final Map<String, Long> live = new HashMap<>();
  private @Nullable Instant newest;
  private long readAt;

  /**
   * Reads the ended jobs.
   *
   * @param nanos the current value of a monotonic clock
   */
  void read(JobQueue queue, Overview overview, long nanos) {
    JobPage page = queue.reader().list(JobQuery.archived().limit(JobQuery.LARGEST));
    update(page.jobs(), overview, nanos);
  }

  /** Computes the rates from the latest ended jobs. */
  void update(List<JobSummary> ended, Overview overview, long nanos) {
    Instant before = newest;
    double seconds = (nanos - readAt) / NANOS_PER_SECOND;
    out.clear();
    in.clear();
    if (before != null && seconds > 0) {
      List<JobSummary> since = ended.stream().filter(job -> finish(job).isAfter(before)).toList();
      double covered = since.size() == JobQuery.LARGEST ? span(since) : seconds;
      since.forEach(job -> out.merge(job.queue(), 1 / covered, Double::sum));
      for (QueueOverview queue : overview.queues()) {
        Long earlier = live.get(queue.name());
        if (earlier != null && !queue.estimated()) {
          double change = (jobs(queue) - earlier) / seconds;
          in.put(queue.name(), Math.max(0, change + out.getOrDefault(queue.name(), 0.0)));
        }
      }
    }
    live.clear();
    overview.queues().forEach(queue -> live.put(queue.name(), jobs(queue)));
    newest = ended.isEmpty() ? Instant.EPOCH : finish(ended.get(0));
    readAt = nanos;
  }

  /** Returns the number of live jobs except dead ones, which count as having left the queue. */
  private static long jobs(QueueOverview queue) {
    return queue.count(JobStatus.PENDING)
        + queue.count(JobStatus.RUNNING)
        + queue.count(JobStatus.WAITING);
  }

  private static double span(List<JobSummary> latestFirst) {
    Duration span =
        Duration.between(
            finish(latestFirst.get(latestFirst.size() - 1)), finish(latestFirst.get(0)));
    return Math.max(span.toNanos(), 1_000_000) / NANOS_PER_SECOND;
  }

  private static Instant finish(JobSummary job) {
    return Objects.requireNonNull(job.finishedAt());
  }

  /** Returns the jobs per second that enter a queue, or "-" if that is not known yet. */
  String in(QueueOverview queue) {
    return text(in.get(queue.name()));
  }

  /** Returns the jobs per second that end in a queue, or "-" if that is not known yet. */
  String out(QueueOverview queue) {
    return text(in.containsKey(queue.name()) ? out.getOrDefault(queue.name(), 0.0) : null);
  }

  private static String text(@Nullable Double rate) {
    if (rate == null) {
      return "-";
    }
    return rate > 0 && rate < 10 ? "%.1f".formatted(rate) : "%.0f".formatted(rate);
  }
}
