package dev.skipjack.store.jooq.internal.sql;

import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Parameters that are texts, of the type {@code text} as the columns are. The driver sends {@code
 * varchar}, for which an operator that somebody defined elsewhere in the search path would fit
 * better than the server's own. (Sent without a type, it would cost a round trip to ask for it.)
 */
public final class Texts {

  private Texts() {}

  /** One text: {@code cast(? as text)}. */
  public static Field<String> param(String name) {
    return DSL.cast(DSL.param(name, String.class), SQLDataType.CLOB);
  }

  /** An array of texts. */
  public static Param<String[]> array(String name) {
    return DSL.param(name, SQLDataType.CLOB.getArrayDataType());
  }
}
