package dev.skipjack.store.jooq;

import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.MappedSchema;
import org.jooq.conf.RenderMapping;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/**
 * How every statement of the store is spelled: formatted for people, names quoted and qualified by
 * the user's schema.
 */
final class StatementDialect {

  private StatementDialect() {}

  /** Renders with question marks for the parameters. */
  static DSLContext forSchema(String schema) {
    return DSL.using(SQLDialect.POSTGRES, settings(schema));
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
