package dev.skipjack.outbox.internal;

import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Determines whether partitions of published events are needed, which is the case if a relay has
 * ever leased a shard: {@code SELECT EXISTS (SELECT FROM outbox_shards WHERE lease_id <> 0)}. Reads
 * 32 rows at most. Locks nothing.
 */
final class ReadOutboxUseStatement {

  private static final Field<Boolean> IS_USED =
      field(exists(selectOne().from(OUTBOX_SHARDS).where(OUTBOX_SHARDS.LEASE_ID.ne(inline(0L)))))
          .as("is_used");

  private ReadOutboxUseStatement() {}

  static Statement<NoRequest, Boolean> of(DSLContext dialect) {
    return Statement.of(dialect, select(IS_USED), row -> row.flag(IS_USED));
  }
}
