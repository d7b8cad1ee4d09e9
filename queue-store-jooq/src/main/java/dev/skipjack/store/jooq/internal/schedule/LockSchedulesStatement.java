package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.Collection;
import org.jooq.DSLContext;
import org.jooq.Param;

/**
 * Reads and locks schedules that will be changed.
 *
 * <pre>{@code
 * SELECT ... FROM job_schedules WHERE name = ANY (:names) ORDER BY name FOR UPDATE
 * }</pre>
 *
 * <p>Locks the rows in name order. It waits for other changes and, briefly, for workers that are
 * firing the schedules. Workers skip the rows that it has locked.
 */
final class LockSchedulesStatement {

  private static final Param<String[]> NAMES = Texts.array("names");

  private LockSchedulesStatement() {}

  static Statement<Collection<String>, StoredRow> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(ScheduleColumns.selected())
            .from(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.NAME.eq(any(NAMES)))
            .orderBy(JOB_SCHEDULES.NAME)
            .forUpdate(),
        names -> new Arguments().texts("names", names, name -> name),
        ScheduleColumns::read);
  }
}
