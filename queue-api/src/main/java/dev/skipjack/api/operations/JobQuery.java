package dev.skipjack.api.operations;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.GroupKey;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.SafeText;
import dev.skipjack.api.spi.Tags;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
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
 * @param group the group of the jobs; null for all jobs
 * @param tag a tag that the jobs must have; null for all jobs
 * @param error a text that the last error of the jobs must contain, ignoring case; null for all
 *     jobs
 * @param errorClass the class of the exception that is the last error of the jobs, with or without
 *     its package; null for all jobs. Archived jobs cannot be selected by it
 * @param errorGroup the {@link DeadLetterGroup#error} of the jobs, empty for jobs without a
 *     message; null for all jobs
 * @param since the earliest time at which the jobs were enqueued or, if the order is {@link
 *     JobOrder#FINISHED}, ended; null for all jobs
 * @param payload a field of the payload and its value; null for all jobs
 * @param limit the maximum number of jobs in a page, from 1 to {@link #LARGEST}
 * @param after the token of the page; null for the first page
 */
public record JobQuery(
    JobOrder order,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable JobStatus status,
    @Nullable String group,
    @Nullable String tag,
    @Nullable String error,
    @Nullable String errorClass,
    @Nullable String errorGroup,
    @Nullable Instant since,
    @Nullable PayloadField payload,
    int limit,
    @Nullable PageToken after) {

  /** The maximum size of a page. */
  public static final int LARGEST = 500;

  /** The default size of a page. */
  public static final int DEFAULT_LIMIT = 50;

  /**
   * A field of a payload.
   *
   * @param path the names of the fields from the outermost to the innermost, or the indexes of
   *     array elements, from 0
   * @param value the value; a number or a boolean as JSON writes it, a string without its quotes
   */
  public record PayloadField(List<String> path, String value) {

    /**
     * Creates a condition on a field.
     *
     * @param path the path of the field
     * @param value the value
     * @throws IllegalArgumentException if the path is empty, or if the path or the value contains a
     *     character that PostgreSQL cannot store
     */
    public PayloadField {
      path = List.copyOf(path);
      if (path.isEmpty()) {
        throw new IllegalArgumentException("The path of a payload's field must not be empty.");
      }
      path.forEach(name -> Tags.requireStorable("Field", name));
      Tags.requireStorable("Value", value);
    }
  }

  /**
   * Creates a query.
   *
   * @param order the order of the list
   * @param queue the name of the queue
   * @param kind the kind of the job
   * @param status the status of the jobs
   * @param group the name of the group
   * @param tag a tag that the jobs have
   * @param error a part of the error's message
   * @param errorClass the name of the exception's class
   * @param errorGroup a group of errors
   * @param since the earliest time, inclusive
   * @param payload the field of the payload
   * @param limit the maximum number of jobs in a page
   * @param after where the list continues
   * @throws IllegalArgumentException if a name or a text is invalid, the limit is out of range, or
   *     the order does not list jobs with the status
   */
  public JobQuery {
    if (queue != null) {
      Names.requireQueue(queue);
    }
    if (kind != null) {
      Names.requireKind(kind);
    }
    if (group != null) {
      GroupKey.require(group);
    }
    if (tag != null) {
      Tags.requireStorable("Tag", tag);
    }
    if (error != null) {
      Tags.requireStorable("Error", error);
    }
    if (errorClass != null) {
      Tags.requireStorable("Error class", errorClass);
      if (order == JobOrder.FINISHED) {
        throw new IllegalArgumentException(
            "Archived jobs cannot be selected by error class '%s': the archive does not contain it."
                .formatted(errorClass));
      }
    }
    if (errorGroup != null) {
      Tags.requireStorable("Error group", errorGroup);
      if (errorGroup.indexOf('\n') >= 0) {
        throw new IllegalArgumentException(
            "Error group '%s' has several lines. A group is one line."
                .formatted(SafeText.of(errorGroup, 80)));
      }
    }
    if (since != null) {
      if (since.isAfter(EnqueueOptions.LATEST)) {
        throw new IllegalArgumentException(
            "Time %s is after %s.".formatted(since, EnqueueOptions.LATEST));
      }
      since = since.isBefore(Instant.EPOCH) ? Instant.EPOCH : since;
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

  /** The components of a query that is being created. */
  private static final class Draft {

    private JobOrder order;
    private @Nullable String queue;
    private @Nullable String kind;
    private @Nullable JobStatus status;
    private @Nullable String group;
    private @Nullable String tag;
    private @Nullable String error;
    private @Nullable String errorClass;
    private @Nullable String errorGroup;
    private @Nullable Instant since;
    private @Nullable PayloadField payload;
    private int limit;
    private @Nullable PageToken after;

    Draft(JobQuery query) {
      order = query.order;
      queue = query.queue;
      kind = query.kind;
      status = query.status;
      group = query.group;
      tag = query.tag;
      error = query.error;
      errorClass = query.errorClass;
      errorGroup = query.errorGroup;
      since = query.since;
      payload = query.payload;
      limit = query.limit;
      after = query.after;
    }

    JobQuery build() {
      return new JobQuery(
          order,
          queue,
          kind,
          status,
          group,
          tag,
          error,
          errorClass,
          errorGroup,
          since,
          payload,
          limit,
          after);
    }
  }

  private JobQuery with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  private static JobQuery of(JobOrder order, @Nullable String queue, @Nullable JobStatus status) {
    return new JobQuery(
        order, queue, null, status, null, null, null, null, null, null, null, DEFAULT_LIMIT, null);
  }

  /** {@return a query for jobs of any {@linkplain JobStatus#isLive live} status, ordered by id} */
  public static JobQuery live() {
    return of(JobOrder.ID, null, null);
  }

  /**
   * {@return a query for the pending jobs of {@code queue}, ordered by due time}
   *
   * @param queue the name of the queue
   */
  public static JobQuery pending(String queue) {
    return of(JobOrder.DUE, queue, JobStatus.PENDING);
  }

  /** {@return a query for jobs that have ended, latest first} */
  public static JobQuery archived() {
    return of(JobOrder.FINISHED, null, null);
  }

  /**
   * {@return this query, restricted to one queue}
   *
   * @param queue the name of the queue
   */
  public JobQuery queue(String queue) {
    return with(draft -> draft.queue = queue);
  }

  /**
   * {@return this query, restricted to one kind}
   *
   * @param kind the kind of the job
   */
  public JobQuery kind(String kind) {
    return with(draft -> draft.kind = kind);
  }

  /**
   * {@return this query, restricted to one status}
   *
   * @param status the status of the jobs
   */
  public JobQuery status(JobStatus status) {
    return with(draft -> draft.status = status);
  }

  /**
   * {@return this query, restricted to one group}
   *
   * @param group the name of the group
   */
  public JobQuery group(String group) {
    return with(draft -> draft.group = group);
  }

  /**
   * {@return this query, restricted to jobs with the given tag}
   *
   * @param tag a tag that the jobs have
   */
  public JobQuery tag(String tag) {
    return with(draft -> draft.tag = tag);
  }

  /**
   * {@return this query, restricted to jobs whose last error contains the given text, ignoring
   * case}
   *
   * @param error a part of the error's message
   */
  public JobQuery error(String error) {
    return with(draft -> draft.error = error);
  }

  /**
   * {@return this query, restricted to jobs whose last error was an exception of the given class}
   *
   * @param errorClass the name of the class, with or without its package
   */
  public JobQuery errorClass(String errorClass) {
    return with(draft -> draft.errorClass = errorClass);
  }

  /**
   * {@return this query, restricted to jobs whose last error belongs to the given group, for
   * example {@code Order * was not found}}
   *
   * @param errorGroup the {@link DeadLetterGroup#error} of the group
   */
  public JobQuery errorGroup(String errorGroup) {
    return with(draft -> draft.errorGroup = errorGroup);
  }

  /**
   * {@return this query, restricted to jobs that were enqueued or, in an archived query, ended at
   * or after the given time}
   *
   * @param since the earliest time, inclusive
   */
  public JobQuery since(Instant since) {
    return with(draft -> draft.since = since);
  }

  /**
   * {@return this query, restricted to jobs whose payload has the given value in the given field}
   * Requires the right to read payloads, and is slower than other filters: a page is filled from at
   * most 1,000 jobs.
   *
   * @param path the name of the field, or the names from the outermost field to the innermost,
   *     separated by dots. For names that contain dots, use {@link PayloadField}
   * @param value the value; a number or a boolean as JSON writes it, a string without its quotes
   */
  public JobQuery payload(String path, String value) {
    return payload(new PayloadField(List.of(path.split("\\.", -1)), value));
  }

  /**
   * {@return this query, restricted to jobs whose payload has the given value in the given field}
   *
   * @param payload the field of the payload
   */
  public JobQuery payload(PayloadField payload) {
    return with(draft -> draft.payload = payload);
  }

  /**
   * {@return this query with pages of at most {@code limit} jobs}
   *
   * @param limit the maximum number of jobs in a page
   */
  public JobQuery limit(int limit) {
    return with(draft -> draft.limit = limit);
  }

  /** {@return this query for its first page} */
  public JobQuery firstPage() {
    return with(draft -> draft.after = null);
  }

  /**
   * {@return this query for the page that {@code token} identifies}
   *
   * @param token where the next page begins
   */
  public JobQuery after(PageToken token) {
    return with(draft -> draft.after = token);
  }
}
