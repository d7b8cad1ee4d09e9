package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static java.util.Objects.requireNonNull;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Lists the paused queues, those paused earliest first: {@code SELECT queue, now(), paused_at,
 * paused_until, paused_by, pause_reason FROM job_queues WHERE <paused now> ORDER BY paused_at,
 * queue LIMIT 1001}. Locks nothing.
 */
final class PausedQueuesStatement {

  /** The bound of the list. A list of this length means that there may be more. */
  static final int WINDOW = 1_001;

  private PausedQueuesStatement() {}

  /** A paused queue, and the time at which it was read. */
  record Facts(String queue, PauseFacts pause, Instant now) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(JOB_QUEUES.QUEUE, now)
            .select(PauseFacts.COLUMNS)
            .from(JOB_QUEUES)
            .where(PausePredicates.PAUSED)
            .orderBy(JOB_QUEUES.PAUSED_AT, JOB_QUEUES.QUEUE)
            .limit(inline(WINDOW)),
        row ->
            new Facts(
                row.text(JOB_QUEUES.QUEUE),
                requireNonNull(PauseFacts.read(row)),
                row.instant(now)));
  }
}
