package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.WorkerId;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Removes the row of a worker that is stopping, or the rows of workers without recent heartbeats.
 *
 * <pre>{@code
 * WITH gone    AS MATERIALIZED (SELECT boot_id FROM job_workers WHERE boot_id = :boot_id
 *                                 | seen_at < clock_timestamp() - :silence OR seen_at > clock_timestamp() + :silence
 *                                FOR UPDATE SKIP LOCKED),
 *      removed AS (DELETE FROM job_workers WHERE boot_id = ANY (ARRAY(SELECT boot_id FROM gone)) RETURNING boot_id)
 * SELECT count(*) FROM removed
 * }</pre>
 *
 * <p>It skips locked rows, so a worker that is sending a heartbeat at this moment is not removed.
 */
final class RemoveWorkersStatement {

  private static final Param<Long> SILENCE = param("silence", Long.class);

  private static final Field<Integer> COUNT = count();

  private RemoveWorkersStatement() {}

  /** Creates the statement that removes one worker and returns the number of removed rows. */
  static Statement<WorkerId, Integer> ofOne(DSLContext dialect) {
    Field<UUID> bootId = cast(Texts.param("boot_id"), SQLDataType.UUID);
    return of(
        dialect,
        JOB_WORKERS.BOOT_ID.eq(bootId),
        id -> new Arguments().text("boot_id", id.bootId().toString()));
  }

  /**
   * Creates the statement that removes the workers that have sent no heartbeat for a given
   * duration, and returns the number of removed rows. It also removes a row whose heartbeat is as
   * far in the future, because no worker writes such a heartbeat.
   */
  static Statement<Duration, Integer> ofSilent(DSLContext dialect) {
    return of(
        dialect,
        JOB_WORKERS
            .SEEN_AT
            .lt(DatabaseClock.minusMicros(DatabaseClock.NOW, SILENCE))
            .or(JOB_WORKERS.SEEN_AT.gt(DatabaseClock.plusMicros(DatabaseClock.NOW, SILENCE))),
        silence -> new Arguments().number("silence", DatabaseClock.micros(silence)));
  }

  private static <Q> Statement<Q, Integer> of(
      DSLContext dialect, Condition which, Function<Q, Arguments> binding) {
    return Statement.of(dialect, query(which), binding, row -> row.integer(COUNT));
  }

  private static ResultQuery<?> query(Condition which) {
    CommonTableExpression<?> gone =
        name("gone")
            .asMaterialized(
                select(JOB_WORKERS.BOOT_ID)
                    .from(JOB_WORKERS)
                    .where(which)
                    .forUpdate()
                    .skipLocked());
    Field<UUID> bootId = gone.field(JOB_WORKERS.BOOT_ID);
    CommonTableExpression<?> removed =
        name("removed")
            .as(
                deleteFrom(JOB_WORKERS)
                    .where(JOB_WORKERS.BOOT_ID.eq(any(array(select(bootId).from(gone)))))
                    .returning(JOB_WORKERS.BOOT_ID));
    return with(gone, removed).select(COUNT).from(table(name("removed")));
  }
}
