package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.param;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import java.util.List;
import org.jooq.Condition;

/** The leases of a batch as parameters, and the fence that compares them with the shards. */
final class Leases {

  private static final ArrayRows GIVEN =
      ArrayRows.named("given")
          .column("shard", param("shards", Short[].class))
          .column("lease_id", param("lease_ids", Long[].class));

  private Leases() {}

  /** Returns {@code unnest(:shards, :lease_ids) AS given (shard, lease_id)}. */
  static ArrayRows given() {
    return GIVEN;
  }

  /** Returns whether the shard's latest lease is the given one. */
  static Condition isFenced() {
    return OUTBOX_SHARDS
        .SHARD
        .eq(GIVEN.field("shard", Short.class))
        .and(OUTBOX_SHARDS.LEASE_ID.eq(GIVEN.field("lease_id", Long.class)));
  }

  static Arguments arguments(List<ShardLease> leases) {
    return new Arguments()
        .smallints("shards", leases, ShardLease::shard)
        .bigints("lease_ids", leases, ShardLease::id);
  }
}
