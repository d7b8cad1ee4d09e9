package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Counts the running jobs and those whose lease has expired.
 *
 * <pre>{@code
 * SELECT count(*), count(*) FILTER (WHERE lease_expires_at < now()), min(lease_expires_at), now()
 *   FROM (SELECT lease_expires_at FROM jobs WHERE status = 'running' ORDER BY current_execution_id LIMIT 10001) AS running
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class LeaseFactsStatement {

  private static final int MOST = 10_001;

  private LeaseFactsStatement() {}

  /**
   * The numbers of running jobs and of expired leases.
   *
   * @param sinceFirst the time since the first lease expired, negative if none has expired; null if
   *     there is no running job
   */
  record Facts(int running, int expired, @Nullable Duration sinceFirst) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Table<?> all =
        select(JOBS.LEASE_EXPIRES_AT)
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(inline(MOST))
            .asTable("running");
    Field<Instant> expires =
        field(name("running", JOBS.LEASE_EXPIRES_AT.getName()), SQLDataType.INSTANT);
    Field<Integer> running = count().as("running");
    Field<Integer> expired =
        count().filterWhere(expires.lt(DatabaseClock.TRANSACTION_START)).as("expired");
    Field<Instant> first = min(expires).as("first");
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(running, expired, first, now).from(all),
        row -> {
          Instant firstExpiry = row.instantOrNull(first);
          return new Facts(
              row.integer(running),
              row.integer(expired),
              firstExpiry == null ? null : Duration.between(firstExpiry, row.instant(now)));
        });
  }
}
