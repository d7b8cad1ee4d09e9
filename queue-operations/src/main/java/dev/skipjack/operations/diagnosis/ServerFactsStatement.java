package dev.skipjack.operations.diagnosis;

import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.currentUser;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Reads the state of the server and of the session: {@code SELECT pg_backend_pid(),
 * pg_is_in_recovery(), CURRENT_USER, clock_timestamp()}. Locks nothing.
 */
final class ServerFactsStatement {

  private static final Field<Integer> PROCESS =
      function("pg_backend_pid", SQLDataType.INTEGER).as("process");
  private static final Field<Boolean> STANDBY =
      function("pg_is_in_recovery", SQLDataType.BOOLEAN).as("standby");
  private static final Field<String> ROLE = cast(currentUser(), SQLDataType.CLOB).as("role");

  private ServerFactsStatement() {}

  /**
   * The state of the server and of the session.
   *
   * @param process the server process that ran the statement
   * @param role the role whose rights the statements have
   */
  record Facts(int process, boolean standby, String role, Instant now) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(PROCESS, STANDBY, ROLE, DatabaseClock.NOW),
        row ->
            new Facts(
                row.integer(PROCESS),
                row.flag(STANDBY),
                row.text(ROLE),
                row.instant(DatabaseClock.NOW)));
  }
}
