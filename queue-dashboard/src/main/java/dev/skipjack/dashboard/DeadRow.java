package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadLetterGroup;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A group of dead jobs with the same error.
 *
 * @param queue the queue
 * @param kind the kind
 * @param error the error without its values; empty if there is none
 * @param errorClass the class of the exception; null if there was none
 * @param jobs the number of jobs
 * @param atLeast whether there may be more
 * @param example the newest of them
 * @param firstDiedAt when the first of them died
 * @param lastDiedAt when the last of them died
 * @param filter the filter that selects the jobs. It also selects jobs with other messages if a
 *     part of this message is hidden
 * @param exact whether the filter selects the jobs of this group only
 */
record DeadRow(
    String queue,
    String kind,
    String error,
    @Nullable String errorClass,
    long jobs,
    boolean atLeast,
    JobId example,
    Instant firstDiedAt,
    Instant lastDiedAt,
    String filter,
    boolean exact) {

  /**
   * Returns the row of a group.
   *
   * @param shown its error without what the visitor may not see
   */
  static DeadRow of(DeadLetterGroup group, String shown) {
    StringBuilder filter =
        new StringBuilder("queue:%s kind:%s status:dead".formatted(group.queue(), group.kind()));
    String errorClass = VisibleReads.brief(group.errorClass());
    boolean isWhole = Objects.equals(errorClass, group.errorClass());
    boolean exact = isWhole && shown.equals(group.error());
    if (exact) {
      filter.append(" error-group:").append(FilterText.quoted(shown));
    }
    if (isWhole && errorClass != null) {
      filter.append(" class:").append(FilterText.quoted(errorClass));
    }
    return new DeadRow(
        group.queue(),
        group.kind(),
        shown,
        errorClass,
        group.jobs(),
        group.atLeast(),
        group.example(),
        group.firstDiedAt(),
        group.lastDiedAt(),
        filter.toString(),
        exact);
  }
}
