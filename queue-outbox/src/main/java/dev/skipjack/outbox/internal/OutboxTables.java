package dev.skipjack.outbox.internal;

import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.SchemaExtension;
import dev.skipjack.sql.Statement;
import java.util.List;
import org.jooq.DSLContext;

/**
 * Adds the checks of the outbox to the doctor, and the partitions of published events to
 * maintenance.
 */
public final class OutboxTables implements SchemaExtension {

  @Override
  public String dailyTable() {
    return OUTBOX_PUBLISHED.getName();
  }

  @Override
  public Statement<NoRequest, Boolean> isUsed(DSLContext dialect) {
    return ReadOutboxUseStatement.of(dialect);
  }

  @Override
  public List<Check> checks(DSLContext dialect) {
    Statement<NoRequest, OutboxFactsStatement.Facts> facts =
        Statement.lazily(() -> OutboxFactsStatement.of(dialect));
    return List.of(
        new Check(OutboxCheck.DEAD_EVENTS, own -> OutboxChecks.deadEvents(first(own, facts))),
        new Check(OutboxCheck.RELAYS, own -> OutboxChecks.relays(first(own, facts))));
  }

  private static <R> R first(OwnTransactions transactions, Statement<NoRequest, R> statement) {
    return transactions.run(statement).get(0);
  }
}
