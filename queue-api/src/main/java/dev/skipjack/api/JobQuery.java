package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import org.jspecify.annotations.Nullable;

/**
 * A query for a page of jobs. Instances are immutable.
 *
 * <pre>{@code
 * JobPage page = reader.list(JobQuery.live().status(JobStatus.DEAD).queue("emails").limit(100));
 * }</pre>
 *
 * @param order the order of the list, which also determines whether live, pending or archived jobs
 *     are listed
 * @param queue the queue of the jobs; null for all queues. Required if the order is {@link
 *     JobOrder#DUE}
 * @param kind the kind of the jobs; null for all kinds
 * @param status the status of the jobs; null for every status that the order lists
 * @param tag a tag that the jobs must have; null for all jobs
 * @param limit the maximum number of jobs in a page, from 1 to {@link #LARGEST}
 * @param after the token of the page; null for the first page
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
   * Creates a query.
   *
   * @throws IllegalArgumentException if a name or the tag is invalid, the limit is out of range, or
   *     the order does not list jobs with the status
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

  /**
   * Returns a query for live jobs of any status (pending, running, waiting or dead), ordered by id.
   */
  public static JobQuery live() {
    return new JobQuery(JobOrder.ID, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** Returns a query for the pending jobs of {@code queue}, ordered by due time. */
  public static JobQuery pending(String queue) {
    return new JobQuery(JobOrder.DUE, queue, null, JobStatus.PENDING, null, DEFAULT_LIMIT, null);
  }

  /** Returns a query for completed and cancelled jobs, latest first. */
  public static JobQuery archived() {
    return new JobQuery(JobOrder.FINISHED, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** Returns this query, restricted to one queue. */
  public JobQuery queue(String queue) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, restricted to one kind. */
  public JobQuery kind(String kind) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, restricted to one status. */
  public JobQuery status(JobStatus status) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query, restricted to jobs with the given tag. */
  public JobQuery tag(String tag) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query with pages of at most {@code limit} jobs. */
  public JobQuery limit(int limit) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** Returns this query for the page that {@code token} identifies. */
  public JobQuery after(PageToken token) {
    return new JobQuery(order, queue, kind, status, tag, limit, token);
  }
}
