package dev.skipjack.sql;

import static org.jooq.impl.DSL.field;

import org.jooq.Field;
import org.jooq.Sequence;

/** Draws ids from sequences. */
public final class NextId {

  private NextId() {}

  /**
   * {@return {@code pg_catalog.nextval('...')}} The name is qualified because the parser treats the
   * sequence's name as {@code text}, so a function {@code nextval(text)} elsewhere in the search
   * path would be a better match than the server's own.
   *
   * @param sequence the sequence
   */
  public static Field<Long> of(Sequence<Long> sequence) {
    return field("pg_catalog.{0}", Long.class, sequence.nextval());
  }
}
