package dev.skipjack.outbox.internal;

import dev.skipjack.sql.StatementText;
import java.util.Map;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the outbox. */
public final class DoctorStatements {

  private DoctorStatements() {}

  /** Returns the statements' texts by the names of their golden files. */
  public static Map<String, StatementText> texts(DSLContext dialect) {
    return Map.of(
        "doctor", OutboxFactsStatement.of(dialect).text(),
        "read-outbox-use", ReadOutboxUseStatement.of(dialect).text());
  }
}
