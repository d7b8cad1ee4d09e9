package dev.skipjack.sql;

import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.selectOne;

import org.jooq.Condition;

/** Whether the outbox is used, so that it needs partitions for published events. */
public final class OutboxUse {

  /**
   * A relay has leased a shard: {@code EXISTS (SELECT FROM outbox_shards WHERE lease_id <> 0)}. It
   * reads 32 rows at most.
   */
  public static final Condition IS_USED =
      exists(selectOne().from(OUTBOX_SHARDS).where(OUTBOX_SHARDS.LEASE_ID.ne(inline(0L))));

  private OutboxUse() {}
}
