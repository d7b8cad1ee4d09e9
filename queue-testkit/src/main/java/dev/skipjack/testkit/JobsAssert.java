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
 * Assertions about jobs of one kind. Each condition in a chain keeps only the jobs that match it,
 * and fails if there is none. The actual value of the assertion is the list of the remaining jobs'
 * ids.
 *
 * @param <T> the payload class
 * @see QueueAssert#hasEnqueued
 */
public final class JobsAssert<T> extends AbstractAssert<JobsAssert<T>, List<JobId>> {

  /**
   * The tolerance for due times, which are compared with an enqueue time that was measured slightly
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

  /**
   * Keeps only jobs whose payload equals the given one.
   *
   * @param payload the expected payload
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> withPayload(T payload) {
    return keep("payload " + payload, job -> decode(job).equals(payload));
  }

  /**
   * Keeps only jobs whose payload matches the given predicate.
   *
   * @param accepted returns true for the payloads to keep
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> withPayloadMatching(Predicate<? super T> accepted) {
    return keep("payload as given", job -> accepted.test(decode(job)));
  }

  /**
   * Keeps only jobs whose payload satisfies the given assertions.
   *
   * @param assertions a consumer that throws an {@link AssertionError} for a payload that does not
   *     match
   * @return assertions about the jobs that are left
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

  /**
   * Keeps only jobs that are in the given queue, or were in it when they ended.
   *
   * @param queue the name of the queue
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> onQueue(String queue) {
    return keep("queue '%s'".formatted(queue), job -> job.queue().equals(queue));
  }

  /**
   * Keeps only jobs whose due time is the given duration after their enqueue, to within a second. A
   * job that is waiting for a retry has the due time of the retry.
   *
   * @param delay the expected time from the enqueue to the due time
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> dueIn(Duration delay) {
    return keep(
        "due in " + Texts.of(delay),
        job -> job.delay().minus(delay).abs().compareTo(TOLERANCE) <= 0);
  }

  /**
   * Keeps only jobs that are due at the given instant, to the microsecond.
   *
   * @param instant the expected due time
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> dueAt(Instant instant) {
    Instant stored = instant.truncatedTo(ChronoUnit.MICROS);
    return keep("due at " + instant, job -> job.scheduledAt().equals(stored));
  }

  /**
   * Keeps only jobs with the given priority.
   *
   * @param priority the priority, from -100 (lowest) to 100
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> withPriority(int priority) {
    return keep("priority " + priority, job -> job.priority() == priority);
  }

  /**
   * Keeps only jobs that have all of the given tags.
   *
   * @param tags the expected tags
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> withTags(String... tags) {
    List<String> wanted = List.of(tags);
    return keep("tags " + wanted, job -> job.tags().containsAll(wanted));
  }

  /**
   * Keeps only jobs with the given status.
   *
   * @param status the expected status
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> inStatus(JobStatus status) {
    return keep(status.literal(), job -> job.status() == status);
  }

  /**
   * Keeps only jobs whose last error contains the given text.
   *
   * @param text a part of the expected message
   * @return assertions about the jobs that are left
   */
  public JobsAssert<T> withErrorContaining(String text) {
    return keep(
        "last error containing '%s'".formatted(text),
        job -> job.lastError() != null && job.lastError().contains(text));
  }

  /**
   * Asserts that exactly the given number of jobs match.
   *
   * @param count the number of jobs
   * @return this
   */
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
   * Asserts that exactly one job matches, and returns assertions about it.
   *
   * @return assertions about the job
   * @throws AssertionError if more than one job matches
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
   * @param refusals the errors that {@code fits} collects, the last of which is shown
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
