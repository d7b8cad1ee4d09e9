package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.LimitLock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Locks groups of a limit for one claim, and returns the positions of those that it has locked.
 *
 * <pre>{@code
 * SELECT position FROM unnest(:groups) WITH ORDINALITY AS given (group_key, position)
 *  WHERE pg_try_advisory_xact_lock_shared(hashtextextended(:limit, 1))
 *    AND pg_try_advisory_xact_lock(hashtextextended(:limit || coalesce('/' || group_key, ''), 0))
 * }</pre>
 *
 * <p>A group has no row that could be locked. The locks are advisory, end with the transaction, and
 * are never waited for: a group that another claim has locked is left out of this claim. If two
 * groups have the same hash, a claim of one only leaves out the other.
 *
 * <p>Lock order: see {@link LockLimitStatement}, whose shared lock this statement takes too.
 */
final class LockGroupsStatement {

  private static final Field<String> LIMIT = Texts.param("limit");

  private LockGroupsStatement() {}

  static Statement<GroupClaim, Integer> of(DSLContext dialect) {
    ArrayRows given =
        ArrayRows.named("given").column("group_key", Texts.array("groups")).withPosition();
    Field<Long> position = given.field("position", Long.class);
    return Statement.of(
        dialect,
        select(position)
            .from(given.table())
            .where(LimitLock.isShared(LIMIT))
            .and(isLocked(given.field("group_key", String.class))),
        claim ->
            new Arguments()
                .texts("groups", claim.shares(), GroupClaim.Share::group)
                .text("limit", claim.limit()),
        (Row row) -> (int) row.number(position) - 1);
  }

  /** Returns a condition whose evaluation locks a group until the transaction ends. */
  private static Condition isLocked(Field<String> group) {
    Field<Long> key =
        field(
            "pg_catalog.hashtextextended({0}, 0)",
            Long.class, LIMIT.concat(coalesce(inline("/").concat(group), inline(""))));
    return condition("pg_catalog.pg_try_advisory_xact_lock({0})", key);
  }
}
