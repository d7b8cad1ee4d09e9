package dev.skipjack.store.jooq.internal.sql;

import static org.jooq.impl.DSL.field;

import org.jooq.Field;
import org.jooq.Sequence;

/** Ids from sequences. */
public final class NextId {

  private NextId() {}

  /**
   * {@code pg_catalog.nextval('...')}. The sequence's name is a text to the parser, so a function
   * {@code nextval(text)} elsewhere in the search path would fit better than the server's own.
   */
  public static Field<Long> of(Sequence<Long> sequence) {
    return field("pg_catalog.{0}", Long.class, sequence.nextval());
  }
}
