package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Param;

/**
 * The statements by which the holder of leases locks the shards, or extends or releases the leases.
 * Each is fenced by the id of the lease, and returns the shards that no relay has leased since.
 *
 * <pre>{@code
 * SELECT shard FROM outbox_shards JOIN unnest(:shards, :lease_ids) AS given (shard, lease_id) ON <fence> ORDER BY shard FOR NO KEY UPDATE
 * UPDATE outbox_shards SET lease_expires_at = clock_timestamp() + :lease FROM unnest(...) AS given WHERE <fence> AND lease_expires_at IS NOT NULL
 *  RETURNING shard
 * UPDATE outbox_shards SET lease_expires_at = NULL FROM unnest(...) AS given WHERE <fence> RETURNING shard
 * }</pre>
 *
 * <p>A relay locks its shards before it records what it published, so that no other relay takes
 * over in between. The locks are taken in the order of the shards, and held for one transaction. An
 * extension that arrives after the release does not extend the lease.
 */
final class LeaseWrites {

  private static final Param<Long> LEASE = param("lease", Long.class);

  private LeaseWrites() {}

  /**
   * The leases to extend.
   *
   * @param lease their new duration, from the time of the statement
   */
  record Extension(List<ShardLease> leases, Duration lease) {}

  static Statement<List<ShardLease>, Integer> lock(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(OUTBOX_SHARDS.SHARD)
            .from(OUTBOX_SHARDS)
            .join(Leases.given().table())
            .on(Leases.isFenced())
            .orderBy(OUTBOX_SHARDS.SHARD)
            .forNoKeyUpdate()
            .of(OUTBOX_SHARDS),
        Leases::arguments,
        row -> row.integer(OUTBOX_SHARDS.SHARD));
  }

  static Statement<Extension, Integer> extend(DSLContext dialect) {
    return Statement.of(
        dialect,
        update(OUTBOX_SHARDS)
            .set(OUTBOX_SHARDS.LEASE_EXPIRES_AT, DatabaseClock.plusMicros(DatabaseClock.NOW, LEASE))
            .from(Leases.given().table())
            .where(Leases.isFenced())
            .and(OUTBOX_SHARDS.LEASE_EXPIRES_AT.isNotNull())
            .returning(OUTBOX_SHARDS.SHARD),
        extension ->
            Leases.arguments(extension.leases())
                .number("lease", DatabaseClock.micros(extension.lease())),
        row -> row.integer(OUTBOX_SHARDS.SHARD));
  }

  static Statement<List<ShardLease>, Integer> release(DSLContext dialect) {
    return Statement.of(
        dialect,
        update(OUTBOX_SHARDS)
            .set(OUTBOX_SHARDS.LEASE_EXPIRES_AT, castNull(OUTBOX_SHARDS.LEASE_EXPIRES_AT))
            .from(Leases.given().table())
            .where(Leases.isFenced())
            .returning(OUTBOX_SHARDS.SHARD),
        Leases::arguments,
        row -> row.integer(OUTBOX_SHARDS.SHARD));
  }
}
