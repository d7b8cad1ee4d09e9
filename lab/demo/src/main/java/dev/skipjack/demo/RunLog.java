package dev.skipjack.demo;

import static org.jooq.impl.DSL.currentInstant;

import dev.skipjack.demo.DemoSchema.Runs;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Records that a run began, and that it made every planned send. The verification requires all
 * second sends of a finished run; some of an interrupted run may be missing.
 */
final class RunLog {

  private final DataSource dataSource;
  private final UUID run;

  RunLog(DataSource dataSource, UUID run) {
    this.dataSource = dataSource;
    this.run = run;
  }

  void begin() {
    DemoSchema.on(dataSource).insertInto(Runs.TABLE, Runs.RUN).values(run).execute();
  }

  void finish(long sends) {
    DemoSchema.on(dataSource)
        .update(Runs.TABLE)
        .set(Runs.FINISHED_AT, currentInstant())
        .set(Runs.SENDS, sends)
        .where(Runs.RUN.eq(run))
        .execute();
  }
}
