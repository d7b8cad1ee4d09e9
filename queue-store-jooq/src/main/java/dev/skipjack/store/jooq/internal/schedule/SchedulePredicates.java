package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Texts;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;

/** The conditions under which schedules fire, defined in one place for all statements. */
public final class SchedulePredicates {

  /** The predicate of {@code job_schedules_due_idx}. */
  static final Condition FIRES =
      JOB_SCHEDULES.PAUSED_AT.isNull().or(JOB_SCHEDULES.REQUESTED_AT.isNotNull());

  /** The names of the schedules that the worker declared. */
  static final Param<String[]> DECLARED = Texts.array("declared");

  /**
   * The condition that the worker can fire a schedule: the schedule needs no code of the
   * application, or the worker has declared the schedule.
   */
  static final Condition CAN_FIRE =
      not(condition(JOB_SCHEDULES.IN_CODE)).or(JOB_SCHEDULES.NAME.eq(any(DECLARED)));

  private SchedulePredicates() {}

  /**
   * Returns the microseconds until the first schedule is due, including schedules that only other
   * workers can fire. NULL if there is none, negative if it is already due.
   */
  public static Field<Long> nextFireIn() {
    return nextFireIn(FIRES);
  }

  static Field<Long> nextFireIn(Condition which) {
    return field(
        select(DatabaseClock.microsUntil(JOB_SCHEDULES.DUE_AT))
            .from(JOB_SCHEDULES)
            .where(which)
            .and(JOB_SCHEDULES.DUE_AT.isNotNull())
            .orderBy(JOB_SCHEDULES.DUE_AT)
            .limit(inline(1)));
  }
}
