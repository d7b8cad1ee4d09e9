package dev.skipjack.dashboard;

import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.QueueDepth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the charts.
 *
 * @param step the length of the intervals
 * @param steps the intervals, oldest first, without gaps
 */
record Charts(Duration step, List<Step> steps) {

  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.95;

  /** How long after the end of a minute all workers have reported it. */
  private static final Duration REPORTED = Duration.ofSeconds(15);

  private static final DurationHistogram NOTHING = DurationHistogram.EMPTY;

  /**
   * An interval.
   *
   * @param from its start
   * @param completed attempts that completed their job
   * @param failed failed attempts whose job is retried
   * @param dead failed attempts after which the job was dead
   * @param cancelled attempts that ended because their job was cancelled
   * @param snoozed attempts whose handler snoozed the job
   * @param lost attempts that lost their lease
   * @param waitMedian the median of the times from due to claimed; null without a claim
   * @param wait95 the time that 95 % of them did not exceed; null without a claim
   * @param runMedian the median of the run times; null without an attempt
   * @param run95 the run time that 95 % of the attempts did not exceed; null without an attempt
   * @param pending the pending jobs; null if they were not counted
   * @param running the running jobs; null if they were not counted
   * @param deadJobs the dead jobs; null if they were not counted
   */
  record Step(
      Instant from,
      long completed,
      long failed,
      long dead,
      long cancelled,
      long snoozed,
      long lost,
      @Nullable Duration waitMedian,
      @Nullable Duration wait95,
      @Nullable Duration runMedian,
      @Nullable Duration run95,
      @Nullable Long pending,
      @Nullable Long running,
      @Nullable Long deadJobs) {

    long ended() {
      return completed + failed + dead;
    }

    private boolean isEmpty() {
      return ended() + cancelled + snoozed + lost == 0 && wait95 == null && pending == null;
    }
  }

  /** How far the charts reach back. */
  enum Span {
    HOUR("1h", "Last hour", Duration.ofHours(1), Duration.ofMinutes(1)),
    QUARTER("6h", "Last 6 hours", Duration.ofHours(6), Duration.ofMinutes(5)),
    DAY("24h", "Last 24 hours", Duration.ofHours(24), Duration.ofMinutes(15));

    private final String value;
    private final String label;
    private final Duration last;
    private final Duration step;

    Span(String value, String label, Duration last, Duration step) {
      this.value = value;
      this.label = label;
      this.last = last;
      this.step = step;
    }

    /** Returns the span that a request asks for, or the shortest one. */
    static Span of(Request request) {
      String wanted = request.parameter("last").orElse("");
      for (Span span : values()) {
        if (span.value.equals(wanted)) {
          return span;
        }
      }
      return HOUR;
    }

    String value() {
      return value;
    }

    String label() {
      return label;
    }
  }

  /** Starts the queries for a queue, or for all queues that the visitor may see. */
  static SharedQueries.Started<Charts> start(Visit visit, Span span, @Nullable String queue) {
    MinutesQuery all = MinutesQuery.last(span.last.plus(span.step).plus(REPORTED)).every(span.step);
    MinutesQuery query = queue == null ? all : all.queues(List.of(queue));
    var minutes = visit.reads().minutes(query);
    var depths = visit.reads().depths(query);
    return () -> {
      Panel<List<JobMinutes>> did = minutes.panel();
      Panel<List<QueueDepth>> had = depths.panel();
      String problem = did.problem() == null ? had.problem() : did.problem();
      return new Panel<>(did.value(), did.asOf(), problem)
          .map(value -> Charts.of(span, value, had.or(List.of()), visit.now()));
    };
  }

  /** Arranges the numbers in intervals, up to the latest one that all workers have reported. */
  static Charts of(Span span, List<JobMinutes> minutes, List<QueueDepth> depths, Instant now) {
    Map<Instant, JobMinutes> did = new HashMap<>();
    minutes.forEach(minute -> did.put(minute.from(), minute));
    Map<Instant, QueueDepth> had = new HashMap<>();
    depths.forEach(depth -> had.put(depth.from(), depth));
    long step = span.step.toSeconds();
    long end = now.minus(REPORTED).getEpochSecond() / step * step;
    List<Step> steps = new ArrayList<>();
    QueueDepth before = null;
    for (long at = end - span.last.toSeconds(); at < end; at += step) {
      Instant from = Instant.ofEpochSecond(at);
      QueueDepth depth = had.get(from);
      if (depth == null && before != null && isEmpty(before)) {
        depth = before; // queues without jobs have no rows
      }
      steps.add(step(from, did.get(from), depth));
      before = depth;
    }
    return new Charts(span.step, steps);
  }

  private static boolean isEmpty(QueueDepth depth) {
    return depth.pending() + depth.running() + depth.waiting() + depth.dead() == 0;
  }

  private static Step step(Instant from, @Nullable JobMinutes did, @Nullable QueueDepth had) {
    DurationHistogram waits = did == null ? NOTHING : did.waits();
    DurationHistogram runs = did == null ? NOTHING : did.runs();
    return new Step(
        from,
        did == null ? 0 : did.completed(),
        did == null ? 0 : did.failed(),
        did == null ? 0 : did.dead(),
        did == null ? 0 : did.cancelled(),
        did == null ? 0 : did.snoozed(),
        did == null ? 0 : did.lost(),
        waits.percentile(MEDIAN).orElse(null),
        waits.percentile(MOST).orElse(null),
        runs.percentile(MEDIAN).orElse(null),
        runs.percentile(MOST).orElse(null),
        had == null ? null : had.pending(),
        had == null ? null : had.running(),
        had == null ? null : had.dead());
  }

  /** Whether nothing was reported in any interval. */
  boolean isEmpty() {
    return steps.stream().allMatch(Step::isEmpty);
  }
}
