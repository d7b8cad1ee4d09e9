package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.model.Routines;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.time.Duration;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Calls the schema's own function: {@code SELECT create_partitions(:ahead * interval '1
 * microsecond')}. It waits at most half a second for its locks, and holds none that a claim or a
 * completion needs.
 */
final class CreatePartitionsStatement {

  private static final Param<Long> AHEAD = param("ahead", Long.class);

  private CreatePartitionsStatement() {}

  static ResultQuery<?> query() {
    return select(Routines.createPartitions(DatabaseClock.interval(AHEAD)));
  }

  static Arguments arguments(Duration ahead) {
    return new Arguments().number("ahead", DatabaseClock.micros(ahead));
  }
}
