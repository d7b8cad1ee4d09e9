package dev.skipjack.sql;

import java.util.List;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.VisitContext;
import org.jooq.VisitListener;
import org.jooq.conf.MappedSchema;
import org.jooq.conf.RenderMapping;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/**
 * Defines how all statements of the store are rendered: formatted for readers, with names quoted
 * and qualified with the user's schema.
 */
public final class StatementDialect {

  static {
    keepAdvertisementsOutOfLogs();
  }

  private StatementDialect() {}

  /**
   * Prevents jOOQ from logging a logo and a tip when it renders its first statement, which users of
   * a queue do not expect in their log. Does so by rendering one statement with jOOQ's own switches
   * temporarily set. A switch that the application has set is left unchanged.
   */
  private static void keepAdvertisementsOutOfLogs() {
    List<String> unset =
        Stream.of("org.jooq.no-logo", "org.jooq.no-tips")
            .filter(name -> System.getProperty(name) == null)
            .toList();
    unset.forEach(name -> System.setProperty(name, "true"));
    try {
      String unused = DSL.using(SQLDialect.POSTGRES).render(DSL.selectOne());
    } finally {
      unset.forEach(System::clearProperty);
    }
  }

  /**
   * {@return a context that renders bind parameters as {@code ?}}
   *
   * @param schema the schema of the queue's tables
   */
  public static DSLContext forSchema(String schema) {
    return DSL.using(SQLDialect.POSTGRES, settings(schema));
  }

  /**
   * {@return a context for statements that run in a transaction of the caller} They compare times
   * with the start of the statement, because a job that the transaction enqueues becomes due after
   * its start.
   *
   * @param schema the schema of the queue's tables
   */
  public static DSLContext withinTransaction(String schema) {
    VisitListener later =
        new VisitListener() {
          @Override
          public void visitStart(VisitContext context) {
            if (context.queryPart() == DatabaseClock.TRANSACTION_START) {
              context.queryPart(DatabaseClock.STATEMENT_START);
            }
          }
        };
    return forSchema(schema).configuration().deriveAppending(later).dsl();
  }

  private static Settings settings(String schema) {
    return new Settings()
        .withRenderFormatted(true)
        .withRenderQuotedNames(RenderQuotedNames.EXPLICIT_DEFAULT_QUOTED)
        .withRenderMapping(
            new RenderMapping()
                .withSchemata(
                    new MappedSchema()
                        .withInput(dev.skipjack.model.Skipjack.SKIPJACK.getName())
                        .withOutput(schema)));
  }
}
