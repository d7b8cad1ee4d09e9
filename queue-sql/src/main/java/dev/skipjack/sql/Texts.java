package dev.skipjack.sql;

import java.util.List;
import java.util.stream.Collectors;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Creates parameters of type {@code text}. The driver sends {@code varchar}. Without the cast to
 * {@code text}, an operator that another role defined elsewhere in the search path could be a
 * better match than the server's own.
 */
public final class Texts {

  private Texts() {}

  /**
   * {@return a parameter for one string: {@code cast(? as text)}}
   *
   * @param name the name
   */
  public static Field<String> param(String name) {
    return DSL.cast(DSL.param(name, String.class), SQLDataType.CLOB);
  }

  /**
   * {@return an array of strings in PostgreSQL's text form, which the statement must cast: {@code
   * {"a","b"}}}
   *
   * @param texts the texts
   */
  public static String arrayOf(List<String> texts) {
    return texts.stream()
        .map(text -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
        .collect(Collectors.joining(",", "{", "}"));
  }

  /**
   * {@return a parameter for an array of strings}
   *
   * @param name the name
   */
  public static Param<String[]> array(String name) {
    return DSL.param(name, SQLDataType.CLOB.getArrayDataType());
  }
}
