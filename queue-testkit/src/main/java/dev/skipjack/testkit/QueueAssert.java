package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about all jobs in the schema of a queue. The actual value of the assertion is the list
 * of their ids.
 *
 * @see QueueAssertions
 */
public final class QueueAssert extends AbstractAssert<QueueAssert, List<JobId>> {

  private final List<JobRow> jobs;
  private final PayloadCodec codec;

  QueueAssert(List<JobRow> jobs, PayloadCodec codec) {
    super(jobs.stream().map(JobRow::id).toList(), QueueAssert.class);
    this.jobs = jobs;
    this.codec = codec;
  }

  /**
   * Sets the codec that decodes payloads, for queues that were built with a custom codec. By
   * default, payloads are decoded with Jackson 2 if it is on the class path, as in a queue without
   * a custom codec.
   *
   * @param codec decodes the payloads
   * @return this, for further assertions
   */
  public QueueAssert decodedBy(PayloadCodec codec) {
    QueueAssert other = new QueueAssert(jobs, codec);
    return info.hasDescription() ? other.as(info.description()) : other;
  }

  /**
   * Asserts that there is at least one job of the given type, in any state. Chained calls narrow
   * down the jobs.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @return assertions about the jobs found
   */
  public <T> JobsAssert<T> hasEnqueued(JobType<T> type) {
    return narrowed(type).keep(kind(type), job -> job.kind().equals(type.kind()));
  }

  /**
   * Asserts that there is no job of the given type.
   *
   * @param type the jobs' type
   * @return this, for further assertions
   */
  public QueueAssert hasNotEnqueued(JobType<?> type) {
    return none(kind(type), job -> job.kind().equals(type.kind()));
  }

  /**
   * Asserts that there is no job of the given type with an equal payload.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload that no job may have
   * @return this, for further assertions
   */
  public <T> QueueAssert hasNotEnqueued(JobType<T> type, T payload) {
    return none(
        "%s, payload %s".formatted(kind(type), payload),
        job -> job.kind().equals(type.kind()) && Payloads.decode(codec, type, job).equals(payload));
  }

  /**
   * Asserts that there are exactly the given number of jobs, of any kind.
   *
   * @param count the number of jobs
   * @return this
   */
  public QueueAssert hasExactly(int count) {
    if (jobs.size() != count) {
      failWithMessage(
          "Expected %s, but there %s%s",
          Texts.jobs(count), jobs.isEmpty() ? "is none." : "are these:", Texts.list(jobs));
    }
    return this;
  }

  /**
   * Asserts that there is no job of any kind.
   *
   * @return this, for further assertions
   */
  public QueueAssert hasNoJobs() {
    return none("any kind", job -> true);
  }

  /**
   * Asserts that there is at least one dead job of the given type. Chained calls narrow down the
   * jobs.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @return assertions about the jobs found
   */
  public <T> JobsAssert<T> hasDeadLetter(JobType<T> type) {
    return narrowed(type)
        .keep(
            kind(type) + ", dead",
            job -> job.kind().equals(type.kind()) && job.status() == JobStatus.DEAD);
  }

  /**
   * Asserts that no job is dead.
   *
   * @return this, for further assertions
   */
  public QueueAssert hasNoDeadLetters() {
    return none("dead", job -> job.status() == JobStatus.DEAD);
  }

  /**
   * Asserts that no job is pending, running or waiting.
   *
   * @return this, for further assertions
   */
  public QueueAssert hasNothingLeftToDo() {
    return none(
        "not ended",
        job ->
            job.status() == JobStatus.PENDING
                || job.status() == JobStatus.RUNNING
                || job.status() == JobStatus.WAITING);
  }

  /**
   * {@return assertions about a single job}
   *
   * @param id the id of the job
   * @throws AssertionError if the job does not exist
   */
  public JobAssert job(JobId id) {
    List<JobRow> found = jobs.stream().filter(job -> job.id().equals(id)).toList();
    if (found.isEmpty()) {
      failWithMessage(
          "Expected job %s, but it is not there: its enqueue was rolled back or is not committed, it was pruned, or it ended in a queue that archives nothing. There %s%s",
          id, jobs.isEmpty() ? "is no job." : "are these:", Texts.list(jobs));
    }
    JobAssert one = new JobAssert(found.get(0));
    return info.hasDescription() ? one.as(info.description()) : one;
  }

  private <T> JobsAssert<T> narrowed(JobType<T> type) {
    JobsAssert<T> all = new JobsAssert<>(type, codec, List.of(), jobs);
    return info.hasDescription() ? all.as(info.description()) : all;
  }

  private QueueAssert none(String wish, Predicate<JobRow> unwanted) {
    List<JobRow> found = jobs.stream().filter(unwanted).toList();
    if (!found.isEmpty()) {
      failWithMessage(
          "Expected no job (%s), but there %s:%s",
          wish, found.size() == 1 ? "is one" : "are " + found.size(), Texts.list(found));
    }
    return this;
  }

  private static String kind(JobType<?> type) {
    return "kind '%s'".formatted(type.kind());
  }
}
