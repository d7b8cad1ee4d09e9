package dev.skipjack.store.jooq.internal.history;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OutboxUse;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Determines whether partitions of published events are needed: {@code SELECT EXISTS (SELECT FROM
 * outbox_shards WHERE lease_id <> 0)}. Locks nothing.
 */
final class ReadOutboxUseStatement {

  private static final Field<Boolean> IS_USED = field(OutboxUse.IS_USED).as("is_used");

  private ReadOutboxUseStatement() {}

  static Statement<NoRequest, Boolean> of(DSLContext dialect) {
    return Statement.of(dialect, select(IS_USED), row -> row.flag(IS_USED));
  }
}
