package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.select;

import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jooq.ResultQuery;

/** Asks the database what time it is: {@code SELECT clock_timestamp()}. */
final class ReadClockStatement {

  private ReadClockStatement() {}

  static ResultQuery<?> query() {
    return select(DatabaseClock.NOW);
  }

  static Instant read(ResultSet row) throws SQLException {
    return row.getObject(1, OffsetDateTime.class).toInstant();
  }
}
