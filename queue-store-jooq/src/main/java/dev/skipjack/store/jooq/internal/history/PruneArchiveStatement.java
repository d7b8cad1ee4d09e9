package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Deletes the expired jobs in the next batch of an archive partition.
 *
 * <pre>{@code
 * WITH page AS MATERIALIZED (SELECT id, finished_at, queue, owner_id FROM jobs_archive
 *                             WHERE finished_at >= :from AND finished_at < :to AND id > :after ORDER BY id LIMIT :batch),
 *      swept AS (DELETE FROM jobs_archive
 *                 WHERE finished_at >= :from AND finished_at < :to
 *                   AND id = ANY (ARRAY(SELECT id FROM page
 *                                        WHERE finished_at < COALESCE((SELECT cutoff FROM unnest(:queues, :cutoffs) AS own (queue, cutoff)
 *                                                                       WHERE own.queue = page.queue), :others)
 *                                          AND NOT EXISTS (SELECT FROM job_batches WHERE id = page.owner_id)))
 *                RETURNING id)
 * SELECT (SELECT count(*) FROM swept), count(*), max(id) FROM page
 * }</pre>
 *
 * <p>It reads the primary key, because no index contains the queue. A batch reads no more rows than
 * its limit, even if it deletes none. Both parts contain the bounds, so that each reads one
 * partition only. The jobs of a batch are kept as long as the batch is, because its outcome is read
 * from them.
 */
final class PruneArchiveStatement {

  private static final Param<String> FROM = param("from", String.class);
  private static final Param<String> TO = param("to", String.class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> BATCH = param("batch", Long.class);
  private static final Param<String> OTHERS = param("others", String.class);
  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<Instant[]> CUTOFFS =
      param("cutoffs", SQLDataType.INSTANT.getArrayDataType());

  private static final Field<Integer> DELETED =
      field(selectCount().from(table(name("swept")))).as("deleted");
  private static final Field<Integer> READ = count().as("read");
  private static final Field<Long> LAST = max(field(name("page", "id"), Long.class)).as("last");

  private PruneArchiveStatement() {}

  /**
   * A batch of jobs to read.
   *
   * @param after the greatest id of the previous batch
   */
  record Request(Partition partition, long after, int batch, Cutoffs cutoffs) {}

  /**
   * The result for one batch.
   *
   * @param deleted the number of its jobs that were deleted
   * @param last the greatest id that was read, or empty if no rows were left
   */
  record Page(int deleted, OptionalLong last) {}

  static Statement<Request, Page> of(DSLContext dialect) {
    return Statement.of(
        dialect, query(), PruneArchiveStatement::arguments, PruneArchiveStatement::read);
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> page =
        name("page")
            .asMaterialized(
                select(
                        JOBS_ARCHIVE.ID,
                        JOBS_ARCHIVE.FINISHED_AT,
                        JOBS_ARCHIVE.QUEUE,
                        JOBS_ARCHIVE.OWNER_ID)
                    .from(JOBS_ARCHIVE)
                    .where(inside())
                    .and(JOBS_ARCHIVE.ID.gt(AFTER))
                    .orderBy(JOBS_ARCHIVE.ID)
                    .limit(BATCH));
    Field<Long> id = field(name("page", "id"), Long.class);
    Field<Instant> finishedAt = field(name("page", "finished_at"), SQLDataType.INSTANT);
    ArrayRows own = ArrayRows.named("own").column("queue", QUEUES).column("cutoff", CUTOFFS);
    Field<Instant> ownCutoff =
        field(
            select(field(name("own", "cutoff"), SQLDataType.INSTANT))
                .from(own.table())
                .where(
                    own.field("queue", String.class)
                        .eq(field(name("page", "queue"), String.class))));
    CommonTableExpression<?> swept =
        name("swept")
            .as(
                deleteFrom(JOBS_ARCHIVE)
                    .where(inside())
                    .and(
                        JOBS_ARCHIVE.ID.eq(
                            any(
                                array(
                                    select(id)
                                        .from(page)
                                        .where(
                                            finishedAt.lt(
                                                coalesce(
                                                    ownCutoff, cast(OTHERS, SQLDataType.INSTANT))))
                                        .and(
                                            notExists(
                                                selectOne()
                                                    .from(JOB_BATCHES)
                                                    .where(
                                                        JOB_BATCHES.ID.eq(
                                                            field(
                                                                name("page", "owner_id"),
                                                                Long.class)))))))))
                    .returning(JOBS_ARCHIVE.ID));
    return with(page).with(swept).select(DELETED, READ, LAST).from(page);
  }

  private static Condition inside() {
    return JOBS_ARCHIVE
        .FINISHED_AT
        .ge(cast(FROM, SQLDataType.INSTANT))
        .and(JOBS_ARCHIVE.FINISHED_AT.lt(cast(TO, SQLDataType.INSTANT)));
  }

  private static Arguments arguments(Request request) {
    List<Map.Entry<String, Instant>> own = List.copyOf(request.cutoffs().byQueue().entrySet());
    return new Arguments()
        .text("from", request.partition().start().toString())
        .text("to", request.partition().end().toString())
        .number("after", request.after())
        .number("batch", request.batch())
        .text("others", request.cutoffs().others().toString())
        .texts("queues", own, Map.Entry::getKey)
        .timestamps("cutoffs", own, queue -> queue.getValue().toString());
  }

  private static Page read(Row row) throws SQLException {
    boolean empty = row.integer(READ) == 0;
    return new Page(
        row.integer(DELETED), empty ? OptionalLong.empty() : OptionalLong.of(row.number(LAST)));
  }
}
