package dev.skipjack.store.jooq.internal.history;

import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;

/** Reads the clock of the database: {@code SELECT clock_timestamp()}. */
final class ReadClockStatement {

  private ReadClockStatement() {}

  static Statement<NoRequest, Instant> of(DSLContext dialect) {
    return Statement.of(dialect, select(DatabaseClock.NOW), row -> row.instant(DatabaseClock.NOW));
  }
}
