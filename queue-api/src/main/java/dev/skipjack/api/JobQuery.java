package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list, and where to start. Immutable: every method returns a new instance.
 *
 * <pre>{@code
 * JobPage page = reader.list(JobQuery.live().status(JobStatus.DEAD).queue("emails").limit(100));
 * }</pre>
 *
 * @param order also determines what is listed: live, pending or archived jobs
 * @param queue the queue of the jobs; null for all queues. Required if the order is {@link
 *     JobOrder#DUE}.
 * @param kind the kind of the jobs; null for all kinds
 * @param status the status of the jobs; null for every status that the order lists
 * @param tag a tag of the jobs; null for all jobs
 * @param limit maximum number of jobs in a page, 1 to {@link #LARGEST}
 * @param after where the page starts; null for the first page
 */
public record JobQuery(
    JobOrder order,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable JobStatus status,
    @Nullable String tag,
    int limit,
    @Nullable PageToken after) {

  /** The maximum size of a page. */
  public static final int LARGEST = 500;

  /** The default size of a page. */
  public static final int DEFAULT_LIMIT = 50;

  /**
   * Rejects invalid names and tags, a limit out of range, and a status that the order does not
   * list.
   */
  public JobQuery {
    if (queue != null) {
      Names.requireQueue(queue);
    }
    if (kind != null) {
      Names.requireKind(kind);
    }
    if (tag != null) {
      Tags.requireStorable(tag);
    }
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "Page limit %d is not in 1..%d.".formatted(limit, LARGEST));
    }
    if (order == JobOrder.DUE && (queue == null || status != JobStatus.PENDING)) {
      throw new IllegalArgumentException(
          "Only the pending jobs of one queue are listed by due time. Begin with JobQuery.pending(queue).");
    }
    if (status != null && status.isLive() == (order == JobOrder.FINISHED)) {
      throw new IllegalArgumentException(
          "Status %s is not listed by %s. Ended jobs are in JobQuery.archived(), all others in JobQuery.live()."
              .formatted(status, order));
    }
  }

  /** Live jobs of any status by id: pending, running, waiting and dead. */
  public static JobQuery live() {
    return new JobQuery(JobOrder.ID, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** Pending jobs of {@code queue} by due time. */
  public static JobQuery pending(String queue) {
    return new JobQuery(JobOrder.DUE, queue, null, JobStatus.PENDING, null, DEFAULT_LIMIT, null);
  }

  /** Completed and cancelled jobs, latest first. */
  public static JobQuery archived() {
    return new JobQuery(JobOrder.FINISHED, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** Returns this query, limited to one queue. */
  public JobQuery queue(String queue) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, limited to one kind. */
  public JobQuery kind(String kind) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, limited to one status. */
  public JobQuery status(JobStatus status) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, limited to jobs with one tag. */
  public JobQuery tag(String tag) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query with pages of at most {@code limit} jobs. */
  public JobQuery limit(int limit) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, starting at the page of {@code token}. */
  public JobQuery after(PageToken token) {
    return new JobQuery(order, queue, kind, status, tag, limit, token);
  }
}
