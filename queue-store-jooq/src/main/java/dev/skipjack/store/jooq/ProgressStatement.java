package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;

/**
 * Writes the progress that handlers report.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (... FOR NO KEY UPDATE SKIP LOCKED),
 * reported AS (UPDATE jobs SET progress = {"percent": given.percent, "message": given.message, "at": clock_timestamp()}
 *                FROM given WHERE jobs.id = given.job_id AND jobs.current_execution_id = given.execution_id
 *                 AND id = ANY (ARRAY(SELECT id FROM locked))
 *              RETURNING id, current_execution_id AS execution_id)
 * SELECT verdict FROM given LEFT JOIN reported ...
 * }</pre>
 *
 * <p>The update changes no indexed column, so it can be a HOT update. {@code updated_at} does not
 * change, because the job's state has not changed. {@link AttemptCtes} explains the lock order.
 */
final class ProgressStatement {

  private static final Param<Integer[]> PERCENTS = param("percents", Integer[].class);
  private static final Param<String[]> MESSAGES = Texts.array("messages");

  private ProgressStatement() {}

  static Statement<List<Progress>, Verdict> of(DSLContext dialect) {
    ArrayRows given = AttemptCtes.given().column("percent", PERCENTS).column("message", MESSAGES);
    CommonTableExpression<?> locked = AttemptCtes.lockedForUpdateOnly();
    CommonTableExpression<?> reported =
        name("reported")
            .as(
                update(JOBS)
                    .set(JOBS.PROGRESS, document(given))
                    .from(given.table())
                    .where(AttemptCtes.isFencedBy(given))
                    .and(AttemptCtes.isLocked(locked))
                    .returningResult(
                        JOBS.ID, JOBS.CURRENT_EXECUTION_ID.as(AttemptCtes.EXECUTION_ID)));
    Field<String> verdict = AttemptCtes.verdict(given, reported);
    return Statement.of(
        dialect,
        AttemptCtes.resultOfEach(with(locked, reported), given, reported, verdict),
        ProgressStatement::arguments,
        row -> AttemptCtes.verdict(row, verdict));
  }

  /** Returns the progress as JSON. The member "message" is absent if there is no message. */
  private static Field<JSONB> document(ArrayRows given) {
    return function(
        name("pg_catalog", "jsonb_strip_nulls"),
        JSONB.class,
        function(
            name("pg_catalog", "jsonb_build_object"),
            JSONB.class,
            inline("percent"),
            given.field("percent", Integer.class),
            inline("message"),
            given.field("message", String.class),
            inline("at"),
            DatabaseClock.NOW));
  }

  private static Arguments arguments(List<Progress> reports) {
    return AttemptCtes.arguments(reports, Progress::execution)
        .integers("percents", reports, Progress::percent)
        .texts("messages", reports, Progress::message);
  }
}
