package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.noCondition;

import dev.skipjack.api.spi.Execution;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.Condition;

/**
 * The weeks in which some attempts began. The audit has a partition for each week.
 *
 * @param from the first instant of the first week
 * @param until the first instant after the last week
 */
public record AuditWeeks(Instant from, Instant until) {

  /** All weeks, for attempts whose start is unknown. */
  public static final AuditWeeks ALL = new AuditWeeks(Instant.MIN, Instant.MAX);

  /**
   * The maximum period in a condition. A batch whose attempts are further apart is rare and
   * searches all partitions.
   */
  private static final Duration LONGEST = Duration.ofDays(14);

  /** Returns the week of an attempt. */
  public static AuditWeeks of(Execution attempt) {
    return containing(attempt.startedAt());
  }

  /** Returns the week of attempts that began at {@code instant}. */
  public static AuditWeeks containing(Instant instant) {
    Partition week = PartitionedTable.AUDIT.containing(instant);
    return new AuditWeeks(week.start(), week.end());
  }

  /**
   * Returns the weeks of a batch: one, two if its attempts began in adjacent weeks, or {@link #ALL}
   * if they are further apart.
   */
  public static AuditWeeks of(List<Execution> attempts) {
    if (attempts.isEmpty()) {
      return ALL;
    }
    Instant first = Instant.MAX;
    Instant last = Instant.MIN;
    for (Execution attempt : attempts) {
      Instant at = attempt.startedAt();
      first = at.isBefore(first) ? at : first;
      last = at.isAfter(last) ? at : last;
    }
    Instant from = PartitionedTable.AUDIT.containing(first).start();
    Instant until = PartitionedTable.AUDIT.containing(last).end();
    return Duration.between(from, until).compareTo(LONGEST) > 0 ? ALL : new AuditWeeks(from, until);
  }

  /**
   * Returns the condition that a row is in these weeks. Its bounds are constants, so the plan
   * neither reads nor locks any other partition.
   */
  public Condition condition() {
    return equals(ALL)
        ? noCondition()
        : JOB_EXECUTIONS
            .STARTED_AT
            .ge(inline(from, JOB_EXECUTIONS.STARTED_AT))
            .and(JOB_EXECUTIONS.STARTED_AT.lt(inline(until, JOB_EXECUTIONS.STARTED_AT)));
  }
}
