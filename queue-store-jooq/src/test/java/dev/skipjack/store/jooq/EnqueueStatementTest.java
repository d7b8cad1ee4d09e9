package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.OtherJobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class EnqueueStatementTest {

  /**
   * An undefined table or an undefined schema. The server's version determines which is reported.
   */
  private static final List<String> NO_SUCH_TABLE = List.of("42P01", "3F000");

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void settingsThatNeitherJobNorTypeHasComeFromTheQueue() {
    JobType<Fixture.Work> bare = JobType.of("bare", Fixture.Work.class).onQueue("slow");
    fixture.execute(
        "INSERT INTO @job_queues (queue, default_priority, default_max_attempts) VALUES ('slow',"
            + " -5, 7), ('half', NULL, 9)");
    fixture.queue.enqueueAll(bare, IntStream.range(0, 1_500).mapToObj(Fixture.Work::new).toList());
    fixture.queue.enqueue(bare.priority(1).maxAttempts(2), new Fixture.Work(1));
    fixture.queue.enqueue(bare, new Fixture.Work(1), job -> job.priority(3).maxAttempts(4));
    fixture.queue.enqueue(
        bare, new Fixture.Work(1), job -> job.onQueue("half").idempotencyKey("a"));
    fixture.queue.enqueue(bare, new Fixture.Work(1), job -> job.onQueue("other"));

    assertThat(
            fixture.value(
                "SELECT string_agg(line, ', ' ORDER BY line) FROM (SELECT concat_ws(' ', queue,"
                    + " priority, max_attempts, count(*)) AS line FROM @jobs GROUP BY queue,"
                    + " priority, max_attempts) AS groups"))
        .isEqualTo("half 0 9 1, other 0 25 1, slow -5 7 1500, slow 1 2 1, slow 3 4 1");
  }

  @Test
  void jobsOfOneCallKeepTheirOwnValuesAndTheirOrder() {
    for (NewJob other : OtherJobs.all()) {
      List<NewJob> jobs = List.of(OtherJobs.PLAIN, other, OtherJobs.PLAIN);
      List<JobId> alone =
          jobs.stream()
              .map(job -> fixture.queue.store().enqueue(List.of(job)).get(0).jobId())
              .toList();
      List<String> expected = rows(alone);
      fixture.execute("DELETE FROM @jobs");

      assertThat(
              rows(fixture.queue.store().enqueue(jobs).stream().map(EnqueueResult::jobId).toList()))
          .isEqualTo(expected);
      fixture.execute("DELETE FROM @jobs");
    }
  }

  @Test
  void uniformJobsAllGetTheValuesOfTheCall() {
    List<JobId> ids =
        fixture.queue.enqueueAll(
            WORK,
            List.of(new Fixture.Work(1), new Fixture.Work(2)),
            job ->
                job.onQueue("slow")
                    .priority(3)
                    .maxAttempts(4)
                    .tags("a b", "c")
                    .header("tenant", "x")
                    .at(Instant.parse("2100-01-01T00:00:00Z")));

    assertThat(
            fixture.value(
                "SELECT string_agg(concat_ws(' ', id, payload->>'number', queue, priority,"
                    + " max_attempts, tags, headers, scheduled_at AT TIME ZONE 'UTC'), ', ' ORDER"
                    + " BY id) FROM @jobs"))
        .isEqualTo(
            ("%s 1 slow 3 4 {\"a b\",c} {\"tenant\": \"x\"} 2100-01-01 00:00:00, %s 2 slow 3 4"
                    + " {\"a b\",c} {\"tenant\": \"x\"} 2100-01-01 00:00:00")
                .formatted(ids.get(0), ids.get(1)));
  }

  /** Returns what was inserted for each job, without the id and the time of the insert. */
  private List<String> rows(List<JobId> ids) {
    return ids.stream()
        .map(
            id ->
                fixture.value(
                    "SELECT (to_jsonb(jobs) - '{id, created_at, updated_at, scheduled_at}'::text[])"
                        + " || jsonb_build_object('hours', round(extract(epoch FROM scheduled_at -"
                        + " created_at) / 3600)) FROM @jobs AS jobs WHERE id = "
                        + id.value()))
        .toList();
  }

  @Test
  void enqueueCommitsAndRollsBackWithTheCallersTransaction() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      fixture.queue.in(connection).enqueue(WORK, new Fixture.Work(1));
      connection.rollback();
      DSL.using(connection, SQLDialect.POSTGRES)
          .transaction(tx -> fixture.queue.in(tx.dsl()).enqueue(WORK, new Fixture.Work(2)));
      connection.commit();
    }
    assertThat(fixture.value("SELECT string_agg(payload->>'number', ' ') FROM @jobs"))
        .isEqualTo("2");
  }

  @Test
  void databaseErrorsAreTypedThroughAConnectionAndUnchangedThroughJooq() throws Exception {
    JobQueue elsewhere = JobQueue.builder(fixture.database.dataSource()).schema("nowhere").build();
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> elsewhere.in(connection).enqueue(WORK, new Fixture.Work(1)))
          .isInstanceOfSatisfying(
              StoreException.class,
              failure -> assertThat(failure.sqlState().orElseThrow()).isIn(NO_SUCH_TABLE));
      connection.rollback();
      assertThatThrownBy(
              () ->
                  elsewhere
                      .in(DSL.using(connection, SQLDialect.POSTGRES))
                      .enqueue(WORK, new Fixture.Work(1)))
          .isInstanceOfSatisfying(
              DataAccessException.class,
              failure -> assertThat(failure.sqlState()).isIn(NO_SUCH_TABLE));
    }
  }
}
