package dev.skipjack.demo;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.sql.Connection;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;

/** Finds the demo's jobs that still have to run. */
final class Backlog {

  private static final Condition LEFT =
      JOBS.QUEUE
          .eq(WebhookJob.QUEUE)
          .and(JOBS.STATUS.in(inline(JobStatus.PENDING), inline(JobStatus.RUNNING)));

  private final DSLContext db;

  Backlog(DataSource dataSource) {
    this(DemoSchema.on(dataSource));
  }

  private Backlog(DSLContext db) {
    this.db = db;
  }

  /** Returns the jobs left in a database, which need not contain the queue's tables. */
  static Left leftBy(Connection connection) {
    DSLContext db = DemoSchema.on(connection);
    return DemoSchema.exists(db, "skipjack.jobs") ? new Backlog(db).left() : new Left(0, 0);
  }

  /**
   * The number of jobs left.
   *
   * @param pending jobs that are waiting for their first or next attempt
   * @param running jobs that are being handled, or were being handled by a process that died
   */
  record Left(long pending, long running) {
    long total() {
      return pending + running;
    }
  }

  boolean isEmpty() {
    return !db.fetchExists(selectOne().from(JOBS).where(LEFT));
  }

  Left left() {
    return db.select(
            count().filterWhere(JOBS.STATUS.eq(inline(JobStatus.PENDING))),
            count().filterWhere(JOBS.STATUS.eq(inline(JobStatus.RUNNING))))
        .from(JOBS)
        .where(LEFT)
        .fetchSingle(counts -> new Left(counts.value1(), counts.value2()));
  }

  /** Returns the jobs among {@code jobs} that still have to run. */
  Set<JobId> amongst(Collection<JobId> jobs) {
    Long[] ids = jobs.stream().map(JobId::value).toArray(Long[]::new);
    return db
        .select(JOBS.ID)
        .from(JOBS)
        .where(JOBS.ID.eq(any(ids)))
        .and(LEFT)
        .fetch(JOBS.ID)
        .stream()
        .map(JobId::new)
        .collect(Collectors.toSet());
  }
}
