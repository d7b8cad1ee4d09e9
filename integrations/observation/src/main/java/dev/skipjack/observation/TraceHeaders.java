package dev.skipjack.observation;

import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.worker.JobContext;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the trace of an enqueue to the headers of its jobs, and decides how an attempt is related
 * to that trace.
 *
 * @param within the maximum time between the enqueue and the first attempt for which the attempt is
 *     a part of that trace
 */
record TraceHeaders(Duration within, Clock clock) {

  /** The header with the time of the enqueue, by the clock of the enqueuer. */
  static final String ENQUEUED_AT = "enqueued-at";

  static final Duration ONE_MINUTE = Duration.ofMinutes(1);

  /** The maximum size of the headers of a trace as JSON: half of what a job may have. */
  private static final int MOST_BYTES = Headers.MOST_BYTES / 2;

  /** The headers by which W3C, B3 and Jaeger propagate a span, without baggage. */
  private static final Set<String> SPAN =
      Set.of(Headers.TRACEPARENT, "tracestate", "b3", "uber-trace-id");

  TraceHeaders {
    if (within.isNegative()) {
      throw new IllegalArgumentException(
          "The wait of a child span must not be negative, but is %s.".formatted(within));
    }
  }

  static TraceHeaders standard() {
    return new TraceHeaders(ONE_MINUTE, Clock.systemUTC());
  }

  TraceHeaders within(Duration changed) {
    return new TraceHeaders(changed, clock);
  }

  /**
   * Returns {@code jobs} with the headers of a trace. Headers that would exceed {@value
   * #MOST_BYTES} bytes are left out, baggage first, because context from outside must not make the
   * enqueue fail.
   *
   * @param propagated what a propagator has written
   * @param hasParent whether the enqueue is a part of a larger trace; if not, a job keeps a trace
   *     that was given explicitly or inherited
   */
  List<NewJob> write(List<NewJob> jobs, Map<String, String> propagated, boolean hasParent) {
    if (propagated.isEmpty()) {
      return jobs;
    }
    Map<String, String> all = limited(ordered(propagated));
    Map<String, String> withoutSpan = new LinkedHashMap<>(all);
    withoutSpan.keySet().removeIf(TraceHeaders::isOfSpan);
    return jobs.stream()
        .map(
            job ->
                hasParent || !hasSpan(job.headers())
                    ? with(all, withoutSpan(job))
                    : with(withoutSpan, job))
        .toList();
  }

  /** Returns the headers in the order of their importance: the span, and then baggage. */
  private Map<String, String> ordered(Map<String, String> propagated) {
    Map<String, String> ordered = new LinkedHashMap<>();
    Map<String, String> baggage = new LinkedHashMap<>();
    ordered.put(ENQUEUED_AT, clock.instant().toString());
    propagated.forEach(
        (name, value) -> {
          String lower = name.toLowerCase(Locale.ROOT);
          (isOfSpan(lower) ? ordered : baggage).put(lower, value);
        });
    ordered.putAll(baggage);
    return ordered;
  }

  private static Map<String, String> limited(Map<String, String> ordered) {
    Map<String, String> limited = new LinkedHashMap<>();
    int bytes = 0;
    for (Map.Entry<String, String> header : ordered.entrySet()) {
      int size = Headers.size(Map.of(header.getKey(), header.getValue()));
      if (bytes + size <= MOST_BYTES) {
        limited.put(header.getKey(), header.getValue());
        bytes += size;
      }
    }
    return limited;
  }

  /** Removes what a follow-up job has inherited from another trace. */
  private static NewJob withoutSpan(NewJob job) {
    NewJob rest = job;
    for (String name : job.headers().keySet()) {
      if (isOfSpan(name)) {
        rest = rest.withoutHeader(name);
      }
    }
    return rest;
  }

  private static boolean hasSpan(Map<String, String> headers) {
    return headers.keySet().stream().anyMatch(TraceHeaders::isOfSpan);
  }

  private static boolean isOfSpan(String name) {
    return SPAN.contains(name) || name.startsWith("x-b3-");
  }

  /** Leaves out a header that is too large or not allowed: a trace must not prevent an enqueue. */
  private static NewJob with(Map<String, String> headers, NewJob job) {
    try {
      return job.withHeaders(headers);
    } catch (IllegalArgumentException notAllowed) {
      NewJob traced = job;
      for (Map.Entry<String, String> header : headers.entrySet()) {
        traced = withIfAllowed(header, traced);
      }
      return traced;
    }
  }

  private static NewJob withIfAllowed(Map.Entry<String, String> header, NewJob job) {
    try {
      return job.withHeaders(Map.of(header.getKey(), header.getValue()));
    } catch (IllegalArgumentException notAllowed) {
      return job;
    }
  }

  /**
   * Returns whether an attempt is a part of the enqueuer's trace. This is the case if there is such
   * a trace, and the attempt is the first one and began soon after the enqueue. Any other attempt
   * has a trace of its own, because a trace that lasts for days is unreadable.
   */
  boolean continuesTrace(JobContext attempt) {
    return !within.isZero()
        && hasSpan(attempt.headers())
        && attempt.attempt() == 1
        && attempt.uncountedAttempts() == 0
        && Duration.between(enqueuedAt(attempt), attempt.startedAt()).compareTo(within) <= 0;
  }

  private static Instant enqueuedAt(JobContext attempt) {
    String text = attempt.headers().get(ENQUEUED_AT);
    try {
      return text == null ? attempt.scheduledAt() : Instant.parse(text);
    } catch (DateTimeException notOurs) {
      return attempt.scheduledAt();
    }
  }

  /** Reads a header for a propagator, whose header names may have capitals. */
  static @Nullable String read(Map<String, String> headers, String name) {
    return headers.get(name.toLowerCase(Locale.ROOT));
  }

  /** Reads a header for a propagator, without the span of the enqueuer. */
  static @Nullable String readWithoutSpan(Map<String, String> headers, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return isOfSpan(lower) ? null : headers.get(lower);
  }
}
