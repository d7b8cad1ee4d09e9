package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that bulk enqueues are split into statements by the number of rows and the size of
 * payloads.
 */
@QueueTest
class BulkSizeTest {

  private static final int MEBIBYTE = 1024 * 1024;
  private static final int LARGEST = 16 * MEBIBYTE;

  private static final JobType<String> TEXT = JobType.of("text", String.class);

  private final Fixture fixture;
  private final JobQueue queue;

  BulkSizeTest(QueueDatabase database) {
    this.fixture = new Fixture(database);
    this.queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .payloadLimit(2 * MEBIBYTE)
            .wakeUps(false)
            .build();
  }

  @BeforeEach
  void logStatements() {
    fixture.execute(
        "CREATE TABLE @statements (id bigint GENERATED ALWAYS AS IDENTITY, transaction_id text, rows bigint, bytes bigint)");
    fixture.execute(
        "CREATE FUNCTION @log_statement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
            + fixture.inSchema("@statements")
            + " (transaction_id, rows, bytes) SELECT pg_current_xact_id()::text, count(*), sum(octet_length(payload::text)) FROM added; RETURN NULL; END $$");
    fixture.execute(
        "CREATE TRIGGER log_statement AFTER INSERT ON @jobs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION @log_statement()");
  }

  @AfterEach
  void stopLogging() {
    fixture.execute("DROP TRIGGER log_statement ON @jobs");
    fixture.execute("DROP FUNCTION @log_statement()");
    fixture.execute("DROP TABLE @statements");
  }

  @Test
  void largePayloadsShareAStatementUpToItsLimitAndOneTransaction() {
    assertThat(queue.enqueueAll(TEXT, texts(24))).hasSize(24);

    assertStatementsAreSmall(24);
  }

  @Test
  void largePayloadsWithIdempotencyKeysShareAStatementUpToItsLimitToo() {
    queue.enqueueAllOnce(
        TEXT, texts(24), (text, job) -> job.idempotencyKey(text.substring(0, text.indexOf('x'))));

    assertStatementsAreSmall(24);
  }

  @Test
  void smallPayloadsAreSplitByTheNumberOfRows() {
    queue.enqueueAll(TEXT, Collections.nCopies(1_500, "x"));

    assertThat(fixture.value("SELECT string_agg(rows::text, ',' ORDER BY id) FROM @statements"))
        .isEqualTo("1000,500");
  }

  private void assertStatementsAreSmall(int jobs) {
    assertThat(fixture.value("SELECT sum(rows) FROM @statements")).isEqualTo("" + jobs);
    assertThat(fixture.value("SELECT count(DISTINCT transaction_id) FROM @statements"))
        .isEqualTo("1");
    assertThat(Long.parseLong(fixture.value("SELECT max(bytes) FROM @statements")))
        .isLessThanOrEqualTo(LARGEST);
  }

  private static List<String> texts(int count) {
    return IntStream.range(0, count).mapToObj(i -> i + "x".repeat(MEBIBYTE)).toList();
  }
}
