package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.SelectSeekStep1;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists a page of schedules, or reads one, with the status of the last job of each.
 *
 * <pre>{@code
 * SELECT ..., clock_timestamp(), coalesce((SELECT status FROM jobs WHERE id = last_job_id),
 *                                         (SELECT status FROM jobs_archive WHERE id = last_job_id))
 *   FROM job_schedules WHERE name = :name | name > :after ORDER BY name [LIMIT :limit]
 * }</pre>
 *
 * <p>For a job that has ended, the primary key of every partition of the archive is probed, as in
 * FindJobStatement. Locks nothing.
 */
final class ListSchedulesStatement {

  private static final Param<Long> LIMIT = param("limit", Long.class);

  private ListSchedulesStatement() {}

  /**
   * @param now the current time by the database's clock
   * @param lastStatus the status of its last job, or null if there is none
   */
  record Listed(StoredRow row, Instant now, @Nullable JobStatus lastStatus) {}

  private record Computed(Field<Instant> now, Field<String> lastStatus) {

    List<Field<?>> columns() {
      return ScheduleColumns.selected(now, lastStatus);
    }

    List<Field<?>> columnsWithoutPayload() {
      return ScheduleColumns.selectedWithoutPayload(now, lastStatus);
    }

    static SelectSeekStep1<?, String> query(List<Field<?>> columns, Condition which) {
      return select(columns).from(JOB_SCHEDULES).where(which).orderBy(JOB_SCHEDULES.NAME);
    }

    Listed read(Row row) throws SQLException {
      String status = row.textOrNull(lastStatus);
      return new Listed(
          ScheduleColumns.read(row),
          row.instant(now),
          status == null ? null : JobStatus.of(status));
    }
  }

  /**
   * The request for a page.
   *
   * @param after the name of the last schedule on the previous page, or an empty text for the first
   *     page
   */
  record Page(String after, int limit) {}

  static Statement<Page, Listed> page(DSLContext dialect) {
    Computed computed = computed();
    return page(dialect, computed, computed.columns());
  }

  /**
   * Creates the statement that lists schedules without payloads, for roles that may not read them.
   */
  static Statement<Page, Listed> pageWithoutPayloads(DSLContext dialect) {
    Computed computed = computed();
    return page(dialect, computed, computed.columnsWithoutPayload());
  }

  private static Statement<Page, Listed> page(
      DSLContext dialect, Computed computed, List<Field<?>> columns) {
    return Statement.of(
        dialect,
        Computed.query(columns, JOB_SCHEDULES.NAME.gt(Texts.param("after"))).limit(LIMIT),
        page -> new Arguments().text("after", page.after()).number("limit", page.limit()),
        computed::read);
  }

  static Statement<String, Listed> one(DSLContext dialect) {
    Computed computed = computed();
    return one(dialect, computed, computed.columns());
  }

  /** Creates the statement that reads a schedule without its payload, for the same roles. */
  static Statement<String, Listed> oneWithoutPayload(DSLContext dialect) {
    Computed computed = computed();
    return one(dialect, computed, computed.columnsWithoutPayload());
  }

  private static Statement<String, Listed> one(
      DSLContext dialect, Computed computed, List<Field<?>> columns) {
    return Statement.of(
        dialect,
        Computed.query(columns, JOB_SCHEDULES.NAME.eq(Texts.param("name"))),
        name -> new Arguments().text("name", name),
        computed::read);
  }

  private static Computed computed() {
    Field<String> live =
        field(
            select(cast(JOBS.STATUS, SQLDataType.CLOB))
                .from(JOBS)
                .where(JOBS.ID.eq(JOB_SCHEDULES.LAST_JOB_ID)));
    Field<String> archived =
        field(
            select(cast(JOBS_ARCHIVE.STATUS, SQLDataType.CLOB))
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.ID.eq(JOB_SCHEDULES.LAST_JOB_ID)));
    return new Computed(
        DatabaseClock.NOW.as("read_at"), coalesce(live, archived).as("last_status"));
  }
}
