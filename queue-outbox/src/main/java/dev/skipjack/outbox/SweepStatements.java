package dev.skipjack.outbox;

import static dev.skipjack.model.Sequences.OUTBOX_EVENTS_POSITION_SEQ;
import static dev.skipjack.model.Tables.OUTBOX_EVENTS;
import static dev.skipjack.model.Tables.OUTBOX_SHARDS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectDistinct;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * The statements that {@link ShardMarks} needs. In one transaction and in this order, they read the
 * last position drawn, the transactions that may have drawn one and have not ended, and the first
 * pending event of each shard.
 *
 * <pre>{@code
 * SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM outbox_events_position_seq
 *
 * SELECT DISTINCT virtualtransaction FROM pg_locks
 *  WHERE locktype = 'relation' AND relation = 'outbox_events'::regclass AND mode = 'RowExclusiveLock' AND granted AND <this database>
 *
 * SELECT shard, (SELECT position FROM outbox_events WHERE status = 'pending' AND shard = outbox_shards.shard ORDER BY position LIMIT 1)
 *   FROM outbox_shards ORDER BY shard
 * }</pre>
 *
 * <p>An INSERT locks the table before it draws a position, and its transaction keeps the lock until
 * it ends, even if it is prepared. These statements lock nothing that another transaction waits
 * for.
 */
final class SweepStatements {

  private static final Field<Long> POSITION = field(name("position"), Long.class);
  private static final Field<String> WRITER = field(name("virtualtransaction"), String.class);

  private SweepStatements() {}

  /**
   * The first pending event of a shard.
   *
   * @param position null if the shard has none
   */
  record First(int shard, @Nullable Long position) {

    /** Returns the position, or {@code end} if that is lower or there is no position. */
    long before(long end) {
      return position == null ? end : Math.min(position, end);
    }
  }

  static Statement<NoRequest, Long> position(DSLContext dialect) {
    Field<Long> last = field(name("last_value"), Long.class);
    Field<Long> position =
        when(field(name("is_called"), Boolean.class), last)
            .otherwise(last.minus(inline(1L)))
            .as(POSITION);
    return Statement.of(
        dialect,
        select(position).from(table("{0}", OUTBOX_EVENTS_POSITION_SEQ)),
        row -> row.number(POSITION));
  }

  static Statement<NoRequest, String> writers(DSLContext dialect) {
    Field<Long> oid = field("cast({0} as pg_catalog.regclass)", Long.class, nameOfEvents(dialect));
    Condition isHere =
        field(name("database"), Long.class)
            .eq(
                field(
                    "(select oid from pg_catalog.pg_database where datname ="
                        + " pg_catalog.current_database())",
                    Long.class));
    return Statement.of(
        dialect,
        selectDistinct(WRITER)
            .from(table(name("pg_catalog", "pg_locks")))
            .where(field(name("locktype"), String.class).eq(inline("relation")))
            .and(field(name("relation"), Long.class).eq(oid))
            .and(field(name("mode"), String.class).eq(inline("RowExclusiveLock")))
            .and(field(name("granted"), Boolean.class))
            .and(isHere),
        row -> row.text(WRITER));
  }

  private static Field<String> nameOfEvents(DSLContext dialect) {
    return inline(dialect.render(OUTBOX_EVENTS));
  }

  static Statement<NoRequest, First> first(DSLContext dialect) {
    Field<Long> position =
        field(
                select(OUTBOX_EVENTS.POSITION)
                    .from(OUTBOX_EVENTS)
                    .where(OutboxPredicates.PENDING)
                    .and(OUTBOX_EVENTS.SHARD.eq(OUTBOX_SHARDS.SHARD))
                    .orderBy(OUTBOX_EVENTS.POSITION)
                    .limit(inline(1)))
            .as(POSITION);
    return Statement.of(
        dialect,
        select(OUTBOX_SHARDS.SHARD, position).from(OUTBOX_SHARDS).orderBy(OUTBOX_SHARDS.SHARD),
        row -> new First(row.integer(OUTBOX_SHARDS.SHARD), row.numberOrNull(POSITION)));
  }
}
