package dev.skipjack.demo;

import static org.jooq.impl.DSL.inline;

import dev.skipjack.api.Outcome;
import dev.skipjack.demo.DemoSchema.Effects;
import dev.skipjack.demo.DemoSchema.EventCounts;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/** Counts a delivery for its repository and completes its job in the same transaction. */
final class WebhookHandler implements Handler<WebhookJob> {

  private final DataSource dataSource;

  WebhookHandler(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public Outcome handle(WebhookJob job, JobContext context) throws SQLException {
    Fate fate = Fate.of(job.delivery(), job.salt());
    if (fate.fails(context.attempt())) {
      String reason =
          "Attempt %d of delivery %s was chosen to fail"
              .formatted(context.attempt(), job.delivery());
      if (fate.givesUp(context.attempt())) {
        return Outcome.dead(reason);
      }
      throw new IllegalStateException(reason);
    }
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      DSLContext db = DemoSchema.on(connection);
      db.insertInto(Effects.TABLE)
          .set(Effects.DELIVERY, job.delivery())
          .set(Effects.JOB_ID, context.jobId().value())
          .set(Effects.EVENT, job.event())
          .set(Effects.REPOSITORY, job.repository())
          .execute();
      context.completeIn(connection);
      // Updated last, because other handlers wait for this row until the commit, and jobs of a busy
      // repository share one row.
      count(db, job);
      connection.commit();
    }
    return Outcome.completed();
  }

  private static void count(DSLContext db, WebhookJob job) {
    db.insertInto(EventCounts.TABLE)
        .set(EventCounts.REPOSITORY, Objects.requireNonNullElse(job.repository(), ""))
        .set(EventCounts.EVENT, job.event())
        .set(EventCounts.HANDLED, 1L)
        .onConflict(EventCounts.REPOSITORY, EventCounts.EVENT)
        .doUpdate()
        .set(EventCounts.HANDLED, EventCounts.HANDLED.plus(inline(1L)))
        .execute();
  }
}
