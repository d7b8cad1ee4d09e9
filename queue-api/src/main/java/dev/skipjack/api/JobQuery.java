package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list, and from where. Immutable: every method answers a new one.
 *
 * <pre>{@code
 * JobPage page = reader.list(JobQuery.live().status(JobStatus.DEAD).queue("emails").limit(100));
 * }</pre>
 *
 * @param order decides what is listed as well: live, pending or archived jobs
 * @param queue only this one; null: all. Given if the order is {@link JobOrder#DUE}.
 * @param kind only this one; null: all
 * @param status only this one; null: all that the order lists
 * @param tag only jobs that carry it; null: all
 * @param limit most jobs in a page, 1 to {@link #LARGEST}
 * @param after where the page begins; null: at the beginning
 */
public record JobQuery(
    JobOrder order,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable JobStatus status,
    @Nullable String tag,
    int limit,
    @Nullable PageToken after) {

  /** Most jobs in a page. */
  public static final int LARGEST = 500;

  /** Jobs in a page when nobody says how many. */
  public static final int DEFAULT_LIMIT = 50;

  /**
   * Refuses names and tags that no job can have, a limit out of range and a status that the order
   * does not list.
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

  /** Completed and cancelled jobs, the latest first. */
  public static JobQuery archived() {
    return new JobQuery(JobOrder.FINISHED, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** This, of one queue. */
  public JobQuery queue(String queue) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** This, of one kind. */
  public JobQuery kind(String kind) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** This, of one status. */
  public JobQuery status(JobStatus status) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** This, carrying one tag. */
  public JobQuery tag(String tag) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** This, with pages of at most {@code limit} jobs. */
  public JobQuery limit(int limit) {
    return new JobQuery(order, queue, kind, status, tag, limit, after);
  }

  /** This, from where {@code token} says. */
  public JobQuery after(PageToken token) {
    return new JobQuery(order, queue, kind, status, tag, limit, token);
  }
}
