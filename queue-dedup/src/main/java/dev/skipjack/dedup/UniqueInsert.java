package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.spi.JobInsert;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Inserts a unique job or answers who holds its key, in one statement.
 *
 * <pre>{@code
 * WITH incoming AS MATERIALIZED (...),
 * inserted AS (INSERT INTO jobs (...) SELECT ... FROM incoming ORDER BY incoming.unique_key
 *              ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id)
 * SELECT coalesce(inserted.id, (SELECT id FROM jobs WHERE unique_key = incoming.unique_key)), inserted.id IS NOT NULL
 *   FROM incoming LEFT JOIN inserted ON inserted.id = incoming.id
 * }</pre>
 *
 * <p>The loser of a race inserts nothing. It sees the winner unless that one committed after this
 * statement began, or ended since: then the id is null, and the statement must be repeated. A rival
 * that has not committed is waited for; if it rolls back, this statement inserts. The predicate of
 * ON CONFLICT repeats the index's. Rows go in key order, so that two batches meet in one order.
 */
final class UniqueInsert {

  private UniqueInsert() {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insert(JobInsert.UNIQUE_KEY)
                    .onConflict(JOBS.UNIQUE_KEY)
                    .where(JOBS.UNIQUE_KEY.isNotNull())
                    .doNothing()
                    .returning(JOBS.ID));
    Field<Long> id = field(name("inserted", "id"), Long.class);
    return with(JobInsert.INCOMING, inserted)
        .select(
            coalesce(
                id,
                field(select(JOBS.ID).from(JOBS).where(JOBS.UNIQUE_KEY.eq(JobInsert.UNIQUE_KEY)))),
            field(id.isNotNull()))
        .from(JobInsert.INCOMING)
        .leftJoin(inserted)
        .on(id.eq(JobInsert.ID))
        .orderBy(JobInsert.POSITION);
  }

  /** Empty when the statement must be repeated. */
  static Optional<EnqueueResult> read(ResultSet row) throws SQLException {
    long id = row.getLong(1);
    if (row.wasNull()) {
      return Optional.empty();
    }
    return Optional.of(
        row.getBoolean(2)
            ? new EnqueueResult.Enqueued(new JobId(id))
            : new EnqueueResult.AlreadyQueued(new JobId(id)));
  }
}
