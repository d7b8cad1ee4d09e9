package dev.skipjack.steps;

import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.model.Routines;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import java.util.Locale;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Sends a signal: {@code SELECT signal(:address, :name, :payload, :sent_by, :expires_in,
 * :link_id)}.
 *
 * <p>The function inserts the signal, adds 1 to {@code jobs.signals} of the jobs that may take it,
 * and makes those due that wait for it. It waits for the locks on the rows of these jobs, which it
 * takes in the order of their ids.
 */
final class SignalStatement {

  private SignalStatement() {}

  /** A signal to send. */
  record Request(
      String address,
      String name,
      String payload,
      @Nullable String sentBy,
      Duration expiresIn,
      @Nullable String linkId) {}

  static Statement<Request, SignalResult> of(DSLContext dialect) {
    Field<String> result =
        Routines.signal(
                Texts.param("address"),
                Texts.param("name"),
                cast(Texts.param("payload"), SQLDataType.JSON),
                Texts.param("sent_by"),
                DatabaseClock.interval(param("expires_in", Long.class)),
                Texts.param("link_id"))
            .as("result");
    return Statement.of(
        dialect,
        select(result),
        request ->
            new Arguments()
                .text("address", request.address())
                .text("name", request.name())
                .text("payload", request.payload())
                .text("sent_by", request.sentBy())
                .number("expires_in", DatabaseClock.micros(request.expiresIn()))
                .text("link_id", request.linkId()),
        row -> SignalResult.valueOf(row.text(result).toUpperCase(Locale.ROOT)));
  }
}
