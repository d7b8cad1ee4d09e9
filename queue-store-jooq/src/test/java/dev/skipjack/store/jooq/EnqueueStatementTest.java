package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class EnqueueStatementTest {

  /**
   * Undefined table or undefined schema: servers of different versions notice in different order.
   */
  private static final List<String> NO_SUCH_TABLE = List.of("42P01", "3F000");

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void writesWhatTypeAndOptionsSay() {
    JobId id =
        fixture.queue.enqueue(
            WORK.onQueue("emails").payloadVersion(2),
            new Fixture.Work(7),
            job -> job.priority(5).maxAttempts(2).delay(Duration.ofHours(1)));

    assertThat(
            fixture.value(
                "SELECT id || ' ' || queue || ' ' || kind || ' ' || payload || ' ' ||"
                    + " payload_version || ' ' || priority || ' ' || max_attempts || ' ' || status"
                    + " || ' ' || (scheduled_at - created_at BETWEEN interval '59 minutes' AND"
                    + " interval '61 minutes') FROM @jobs"))
        .isEqualTo(id + " emails work {\"number\": 7} 2 5 2 pending true");
  }

  @Test
  void answersTheIdsInTheOrderOfTheInputAcrossChunks() {
    List<JobId> ids =
        fixture.queue.enqueueAll(
            WORK, IntStream.range(0, 2_500).mapToObj(Fixture.Work::new).toList());

    assertThat(ids).hasSize(2_500).doesNotHaveDuplicates();
    assertThat(fixture.value("SELECT (payload->>'number') FROM @jobs WHERE id = " + ids.get(1_777)))
        .isEqualTo("1777");
  }

  @Test
  void whatNeitherJobNorTypeSaysIsTheQueues() {
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
  void anEmptyListIsFine() {
    assertThat(fixture.queue.enqueueAll(WORK, List.of())).isEmpty();
  }

  @Test
  void anInstantInThePastMeansNow() {
    fixture.queue.enqueue(WORK, new Fixture.Work(1), job -> job.at(Instant.EPOCH));

    assertThat(fixture.value("SELECT scheduled_at >= created_at - interval '1 second' FROM @jobs"))
        .isEqualTo("t");
  }

  @Test
  void commitsAndRollsBackWithTheCallersTransaction() throws Exception {
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
  void aRefusedPayloadLeavesTheCallersTransactionUsable() throws Exception {
    JobType<Map<String, String>> free = JobType.of("free", mapClass());
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> fixture.queue.in(connection).enqueue(free, Map.of("a", "nul \0")))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("U+0000");
      fixture.queue.in(connection).enqueue(WORK, new Fixture.Work(1));
      connection.commit();
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
  }

  @Test
  void errorsOfTheDatabaseComeTypedThroughAConnectionAndUntouchedThroughJooq() throws Exception {
    JobQueue elsewhere = JobQueue.builder(fixture.database.dataSource()).schema("nowhere").build();
    try (Connection connection = fixture.database.connection()) {
      assertThatThrownBy(() -> elsewhere.in(connection).enqueue(WORK, new Fixture.Work(1)))
          .isInstanceOfSatisfying(
              StoreException.class,
              failure -> assertThat(failure.sqlState().orElseThrow()).isIn(NO_SUCH_TABLE));
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

  @SuppressWarnings("unchecked")
  private static Class<Map<String, String>> mapClass() {
    return (Class<Map<String, String>>) (Class<?>) Map.class;
  }
}
