package dev.skipjack.sql;

import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;

import org.jooq.Condition;
import org.jooq.Field;

/**
 * The advisory lock between claims under a limit and changes of the limit. A claim tries to share
 * it, and claims nothing while a change holds it. A change takes it exclusively before its first
 * statement, and so waits for the claims that have begun. Without it, a claim that has not
 * committed yet could start jobs that the next claim, under the changed limit, does not count.
 *
 * <p>A change that waits comes before later claims, so claims cannot delay it for long.
 */
public final class LimitLock {

  private LimitLock() {}

  /**
   * {@return the number of the lock of a limit} Its seed differs from that of the locks of groups.
   *
   * @param limit the name of the limit
   */
  public static Field<Long> keyOf(Field<String> limit) {
    return field("pg_catalog.hashtextextended({0}, 1)", Long.class, limit);
  }

  /**
   * {@return a condition whose evaluation tries to share the lock until the transaction ends}
   *
   * @param limit the name of the limit
   */
  public static Condition isShared(Field<String> limit) {
    return condition("pg_catalog.pg_try_advisory_xact_lock_shared({0})", keyOf(limit));
  }

  /**
   * {@return an expression that takes the lock until the transaction ends, and waits for it}
   *
   * @param limit the name of the limit
   */
  public static Field<?> taken(Field<String> limit) {
    return field("pg_catalog.pg_advisory_xact_lock({0})", keyOf(limit));
  }
}
