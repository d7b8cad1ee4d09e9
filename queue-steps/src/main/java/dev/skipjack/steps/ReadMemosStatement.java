package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOB_STEPS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Reads what a job has recorded, and its open waits.
 *
 * <pre>{@code
 * SELECT recorded.*, clock_timestamp()
 *   FROM (SELECT name, type, position, result, execution_id, NULL AS ends_at FROM job_steps WHERE job_id = :job_id
 *         UNION ALL
 *         SELECT name, 'await', 0, NULL, 0, ends_at FROM job_waits WHERE job_id = :job_id) AS recorded
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class ReadMemosStatement {

  private static final Param<Long> JOB_ID = param("job_id", Long.class);

  private static final Field<String> NAME = field(name("recorded", "name"), String.class);
  private static final Field<String> TYPE = field(name("recorded", "type"), String.class);
  private static final Field<Integer> POSITION = field(name("recorded", "position"), Integer.class);
  private static final Field<String> RESULT = field(name("recorded", "result"), String.class);
  private static final Field<Long> EXECUTION = field(name("recorded", "execution_id"), Long.class);
  private static final Field<Instant> ENDS_AT =
      field(name("recorded", "ends_at"), SQLDataType.INSTANT);
  private static final Field<Instant> READ_AT = DatabaseClock.NOW.as("read_at");

  private ReadMemosStatement() {}

  /**
   * A memo or an open wait.
   *
   * @param readAt the database's time
   */
  record Found(String name, Memo memo, Instant readAt) {}

  static Statement<Long, Found> of(DSLContext dialect) {
    Table<?> recorded =
        select(
                JOB_STEPS.NAME,
                JOB_STEPS.TYPE,
                JOB_STEPS.POSITION,
                cast(JOB_STEPS.RESULT, SQLDataType.CLOB).as("result"),
                JOB_STEPS.EXECUTION_ID,
                castNull(SQLDataType.INSTANT).as("ends_at"))
            .from(JOB_STEPS)
            .where(JOB_STEPS.JOB_ID.eq(JOB_ID))
            .unionAll(
                select(
                        JOB_WAITS.NAME,
                        inline(Memo.Type.AWAIT.literal(), JOB_STEPS.TYPE),
                        inline(0),
                        castNull(SQLDataType.CLOB),
                        inline(0L),
                        JOB_WAITS.ENDS_AT)
                    .from(JOB_WAITS)
                    .where(JOB_WAITS.JOB_ID.eq(JOB_ID)))
            .asTable("recorded");
    return Statement.of(
        dialect,
        select(NAME, TYPE, POSITION, RESULT, EXECUTION, ENDS_AT, READ_AT).from(recorded),
        job -> new Arguments().number("job_id", job),
        ReadMemosStatement::read);
  }

  private static Found read(Row row) throws SQLException {
    return new Found(
        row.text(NAME),
        new Memo(
            Memo.Type.of(row.text(TYPE)),
            row.integer(POSITION),
            row.textOrNull(RESULT),
            row.instantOrNull(ENDS_AT),
            row.number(EXECUTION)),
        row.instant(READ_AT));
  }
}
