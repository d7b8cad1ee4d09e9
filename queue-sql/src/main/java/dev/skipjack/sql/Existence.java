package dev.skipjack.sql;

import org.jooq.Condition;
import org.jooq.Select;
import org.jooq.impl.CustomCondition;
import org.jooq.impl.DSL;

/**
 * The conditions EXISTS and NOT EXISTS. {@code DSL.exists} and {@code DSL.notExists} take a {@code
 * Select} up to jOOQ 3.20 and a {@code TableLike} since 3.21, so a caller that was compiled with
 * one version fails with the other. The application chooses the version.
 */
public final class Existence {

  private Existence() {}

  /**
   * {@return the condition that {@code query} has rows}
   *
   * @param query the query
   */
  public static Condition exists(Select<?> query) {
    return condition("exists", query);
  }

  /**
   * {@return the condition that {@code query} has no rows}
   *
   * @param query the query
   */
  public static Condition notExists(Select<?> query) {
    return condition("not exists", query);
  }

  private static Condition condition(String operator, Select<?> query) {
    return CustomCondition.of(
        context ->
            context
                .visit(DSL.keyword(operator))
                .sql(" (")
                .formatIndentStart()
                .formatNewLine()
                .visit(query)
                .formatIndentEnd()
                .formatNewLine()
                .sql(')'));
  }
}
