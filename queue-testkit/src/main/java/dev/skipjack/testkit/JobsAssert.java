package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the jobs of a kind that match all conditions so far; their ids are the value
 * under test. Each step keeps the jobs that match and fails if there is none.
 *
 * @param <T> the payload
 * @see QueueAssert#hasEnqueued
 */
public final class JobsAssert<T> extends AbstractAssert<JobsAssert<T>, List<JobId>> {

  /**
   * Tolerance: due times are compared with the time of the enqueue, which is measured slightly
   * later.
   */
  private static final Duration TOLERANCE = Duration.ofSeconds(1);

  private final JobType<T> type;
  private final PayloadCodec codec;
  private final List<String> wishes;
  private final List<JobRow> jobs;

  JobsAssert(JobType<T> type, PayloadCodec codec, List<String> wishes, List<JobRow> jobs) {
    super(jobs.stream().map(JobRow::id).toList(), JobsAssert.class);
    this.type = type;
    this.codec = codec;
    this.wishes = wishes;
    this.jobs = jobs;
  }

  /** Keeps jobs whose payload equals this one. */
  public JobsAssert<T> withPayload(T payload) {
    return keep("payload " + payload, job -> decode(job).equals(payload));
  }

  /** Keeps jobs whose payload matches this predicate. */
  public JobsAssert<T> withPayloadMatching(Predicate<? super T> accepted) {
    return keep("payload as given", job -> accepted.test(decode(job)));
  }

  /**
   * Keeps jobs whose payload satisfies these assertions.
   *
   * @param assertions throw an {@link AssertionError} for a payload that does not match
   */
  public JobsAssert<T> withPayloadSatisfying(Consumer<? super T> assertions) {
    List<AssertionError> refusals = new ArrayList<>();
    return keep(
        "payload as asserted",
        job -> {
          try {
            assertions.accept(decode(job));
            return true;
          } catch (AssertionError refusal) {
            refusals.add(refusal);
            return false;
          }
        },
        refusals);
  }

  /** Keeps jobs that are in this queue, or ended in it. */
  public JobsAssert<T> onQueue(String queue) {
    return keep("queue '%s'".formatted(queue), job -> job.queue().equals(queue));
  }

  /**
   * Keeps jobs that are due this long after their enqueue, within a second. A job that has been
   * attempted has the due time of its retry instead.
   */
  public JobsAssert<T> dueIn(Duration delay) {
    return keep(
        "due in " + Texts.of(delay),
        job -> job.delay().minus(delay).abs().compareTo(TOLERANCE) <= 0);
  }

  /** Keeps jobs that are due at this instant, to the microsecond. */
  public JobsAssert<T> dueAt(Instant instant) {
    Instant stored = instant.truncatedTo(ChronoUnit.MICROS);
    return keep("due at " + instant, job -> job.scheduledAt().equals(stored));
  }

  /** Keeps jobs with this priority. */
  public JobsAssert<T> withPriority(int priority) {
    return keep("priority " + priority, job -> job.priority() == priority);
  }

  /** Keeps jobs with all of these tags. */
  public JobsAssert<T> withTags(String... tags) {
    List<String> wanted = List.of(tags);
    return keep("tags " + wanted, job -> job.tags().containsAll(wanted));
  }

  /** Keeps jobs with this status. */
  public JobsAssert<T> inStatus(JobStatus status) {
    return keep(status.literal(), job -> job.status() == status);
  }

  /** Keeps jobs whose last error contains this text. */
  public JobsAssert<T> withErrorContaining(String text) {
    return keep(
        "last error containing '%s'".formatted(text),
        job -> job.lastError() != null && job.lastError().contains(text));
  }

  /** Asserts that exactly this many jobs match. */
  public JobsAssert<T> times(int count) {
    if (jobs.size() != count) {
      failWithMessage(
          "Expected %s (%s), but there %s:%s",
          Texts.jobs(count),
          String.join(", ", wishes),
          jobs.size() == 1 ? "is one" : "are " + jobs.size(),
          Texts.list(jobs));
    }
    return this;
  }

  /**
   * Continues with the only job that matches.
   *
   * @throws AssertionError if more than one matches
   */
  public JobAssert onlyJob() {
    times(1);
    JobAssert one = new JobAssert(jobs.get(0));
    return info.hasDescription() ? one.as(info.description()) : one;
  }

  JobsAssert<T> keep(String wish, Predicate<JobRow> fits) {
    return keep(wish, fits, List.of());
  }

  /**
   * @param refusals filled by the predicate; the last is shown
   */
  private JobsAssert<T> keep(String wish, Predicate<JobRow> fits, List<AssertionError> refusals) {
    List<JobRow> kept = jobs.stream().filter(fits).toList();
    List<String> said = new ArrayList<>(wishes);
    said.add(wish);
    if (kept.isEmpty()) {
      fail(said, refusals.isEmpty() ? null : refusals.get(refusals.size() - 1));
    }
    JobsAssert<T> narrowed = new JobsAssert<>(type, codec, List.copyOf(said), kept);
    return info.hasDescription() ? narrowed.as(info.description()) : narrowed;
  }

  private void fail(List<String> said, @Nullable AssertionError refusal) {
    String seen;
    if (jobs.isEmpty()) {
      seen = "there is no job at all.";
    } else if (wishes.isEmpty()) {
      seen = "there are only these:" + Texts.list(jobs);
    } else {
      seen =
          "the jobs that match up to '%s' are:%s"
              .formatted(wishes.get(wishes.size() - 1), Texts.list(jobs));
    }
    String why = refusal == null ? "" : "\nThe last step failed: " + refusal.getMessage();
    failWithMessage("Expected a job (%s), but %s%s", String.join(", ", said), seen, why);
  }

  private T decode(JobRow job) {
    return Payloads.decode(codec, type, job);
  }
}
