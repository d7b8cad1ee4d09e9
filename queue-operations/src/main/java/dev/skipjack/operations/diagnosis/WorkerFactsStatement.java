package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.jsonbGetAttribute;
import static org.jooq.impl.DSL.jsonbGetAttributeAsText;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.sql.WorkerIdentity;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Reads the living workers, and whether each of them could run a job.
 *
 * <pre>{@code
 * SELECT name || '/' || left(boot_id::text, 8) AS identity, queues, kinds, :queue = ANY (queues) AS serves, :kind = ANY (kinds) AS knows, settings -> 'concurrency' ->> :queue AS slots
 *   FROM job_workers WHERE seen_at BETWEEN now() - :silence AND now() + :silence ORDER BY seen_at DESC LIMIT 1000
 * }</pre>
 *
 * <p>The table has one row for each worker. Locks nothing.
 */
final class WorkerFactsStatement {

  /** The maximum number of workers that are read; the most recently seen come first. */
  static final int MOST = 1_000;

  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Field<Boolean> SERVES =
      field(QUEUE.eq(any(JOB_WORKERS.QUEUES))).as("serves");
  private static final Field<Boolean> KNOWS =
      field(Texts.param("kind").eq(any(JOB_WORKERS.KINDS))).as("knows");
  private static final Field<String> SLOTS =
      jsonbGetAttributeAsText(jsonbGetAttribute(JOB_WORKERS.SETTINGS, inline("concurrency")), QUEUE)
          .as("slots");

  private static final Field<String> IDENTITY = WorkerIdentity.OF_ROW.as("identity");

  private WorkerFactsStatement() {}

  /**
   * A living worker.
   *
   * @param identity the worker's name as stored in the rows of its running jobs
   * @param serves whether it serves the job's queue
   * @param knows whether it has a handler for the job's kind
   * @param slots the number of jobs of the queue that it runs at once; 0 if unknown
   */
  record Facts(
      String identity,
      List<String> queues,
      List<String> kinds,
      boolean serves,
      boolean knows,
      int slots) {}

  static Statement<JobFacts, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(IDENTITY, JOB_WORKERS.QUEUES, JOB_WORKERS.KINDS, SERVES, KNOWS, SLOTS)
            .from(JOB_WORKERS)
            .where(isAlive())
            .orderBy(JOB_WORKERS.SEEN_AT.desc())
            .limit(inline(MOST)),
        job -> new Arguments().text("queue", job.queue()).text("kind", job.kind()),
        WorkerFactsStatement::read);
  }

  /**
   * Returns the condition that a worker was seen recently. A time far in the future does not count.
   */
  static Condition isAlive() {
    Field<Long> silence = inline(DatabaseClock.micros(WorkerInfo.SILENCE), SQLDataType.BIGINT);
    return JOB_WORKERS.SEEN_AT.between(
        DatabaseClock.minusMicros(DatabaseClock.TRANSACTION_START, silence),
        DatabaseClock.plusMicros(DatabaseClock.TRANSACTION_START, silence));
  }

  private static Facts read(Row row) throws SQLException {
    String slots = row.textOrNull(SLOTS);
    return new Facts(
        row.text(IDENTITY),
        row.texts(JOB_WORKERS.QUEUES),
        row.texts(JOB_WORKERS.KINDS),
        row.isTrue(SERVES),
        row.isTrue(KNOWS),
        // Another program may have written the settings.
        slots != null && slots.matches("[0-9]{1,6}") ? Integer.parseInt(slots) : 0);
  }
}
