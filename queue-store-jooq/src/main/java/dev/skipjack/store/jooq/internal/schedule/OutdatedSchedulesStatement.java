package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;

/**
 * Finds schedules whose next planned time was calculated with time zone data older than a given
 * version.
 *
 * <pre>{@code
 * SELECT name FROM job_schedules WHERE zone_rules COLLATE "C" < :version ORDER BY name
 * }</pre>
 *
 * <p>It runs once when a worker starts, and reads all schedules. Versions such as 2026a are
 * compared as strings. Locks nothing.
 */
final class OutdatedSchedulesStatement {

  private OutdatedSchedulesStatement() {}

  /**
   * Creates the statement. Its request is the version of this JVM's time zone data, and its result
   * the names of the schedules.
   */
  static Statement<String, String> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOB_SCHEDULES.NAME)
            .from(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.ZONE_RULES.collate("C").lt(Texts.param("version")))
            .orderBy(JOB_SCHEDULES.NAME),
        version -> new Arguments().text("version", version),
        row -> row.text(JOB_SCHEDULES.NAME));
  }
}
