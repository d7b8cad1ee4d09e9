package dev.skipjack.store.jooq.internal.schedule;

import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Reads the time until the first schedule that a worker can fire is due. {@code
 * job_schedules_due_idx} contains the schedules in the order of their due times.
 *
 * <pre>{@code
 * SELECT (SELECT extract(epoch from due_at - clock_timestamp()) * 1000000 FROM job_schedules
 *          WHERE (paused_at IS NULL OR requested_at IS NOT NULL) AND (NOT in_code OR name = ANY (:declared)) AND due_at IS NOT NULL
 *          ORDER BY due_at LIMIT 1)
 * }</pre>
 *
 * <p>It returns a duration, so a wrong clock on the worker's machine has no effect. Locks nothing.
 */
final class NextFireStatement {

  private NextFireStatement() {}

  /** Creates the statement. Its request is the names of the schedules that the worker declared. */
  static Statement<Collection<String>, Optional<Duration>> of(DSLContext dialect) {
    Field<Long> micros =
        SchedulePredicates.nextFireIn(SchedulePredicates.FIRES.and(SchedulePredicates.CAN_FIRE));
    return Statement.of(
        dialect,
        select(micros),
        declared -> new Arguments().texts("declared", declared, name -> name),
        row ->
            Optional.ofNullable(row.numberOrNull(micros))
                .map(number -> Duration.of(number, ChronoUnit.MICROS)));
  }
}
