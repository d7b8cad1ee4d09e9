package dev.skipjack.operations.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.OperationPreview.PayloadChange;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that operators can correct the payloads of many jobs. */
@QueueTest
class PayloadPatchTest {

  private Fixture fixture;
  private JobOperations operations;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    operations = fixture.queue.operations();
  }

  @Test
  void deadJobsWithAWrongPayloadAreCorrectedAndRedriven() {
    insert("dead", "{\"currency\": \"EURO\", \"amount\": 1.10, \"debug\": true}", 1_200);
    insert("dead", "{\"currency\": \"USD\", \"amount\": 2}", 7);
    JobQuery filter = JobQuery.live().payload("currency", "EURO");
    String patch = "{\"currency\": \"EUR\", \"debug\": null}";

    OperationPreview preview = operations.preview(OperationAction.REDRIVE, filter, patch);

    assertThat(preview.jobs()).isEqualTo(1_200);
    assertThat(preview.changes())
        .hasSize(5)
        .extracting(PayloadChange::before, PayloadChange::after)
        .containsOnly(
            tuple(
                "{\"debug\": true, \"amount\": 1.10, \"currency\": \"EURO\"}",
                "{\"amount\": 1.10, \"currency\": \"EUR\"}"));
    assertThat(count("payload ->> 'debug' = 'true'")).isEqualTo(1_200);
    JobOperation started = operations.start(preview, "anna");
    assertThat(operations.find(started.id())).contains(started);
    assertThat(started.payloadPatch()).contains("\"currency\": \"EUR\"");

    JobOperation ended = operations.run(started.id(), step -> {});

    assertThat(ended.done()).isEqualTo(1_200);
    assertThat(
            count("status = 'pending' AND payload = '{\"amount\": 1.10, \"currency\": \"EUR\"}'"))
        .isEqualTo(1_200);
    assertThat(count("status = 'dead' AND payload ->> 'currency' = 'USD'")).isEqualTo(7);
  }

  @Test
  void jobsThatAreNotRunningAreEditedAndKeepTheirStatus() {
    insert("dead", "{}", 1);
    insert("pending", "{}", 2);
    fixture.enqueue(1);
    fixture.execute("UPDATE @jobs SET scheduled_at = now() + interval '1 h' WHERE payload = '{}'");
    assertThat(fixture.claim(1)).hasSize(1);

    OperationPreview preview =
        operations.preview(OperationAction.EDIT, JobQuery.live(), "{\"number\": 9}");
    JobOperation ended = operations.run(operations.start(preview, "anna").id(), step -> {});

    assertThat(preview.jobs()).isEqualTo(3);
    assertThat(ended.done()).isEqualTo(3);
    assertThat(count("payload = '{\"number\": 9}' AND status <> 'running'")).isEqualTo(3);
    assertThat(count("status = 'dead'")).isEqualTo(1);
  }

  /** A payload that cannot be patched must not prevent the other patches of its batch. */
  @Test
  void payloadsThatCannotBePatchedAreSkipped(QueueDatabase database) {
    insert("dead", "[1]", 1);
    insert("dead", "{\"text\": \"%s\"}".formatted("x".repeat(2_000)), 1);
    insert("dead", "{}", 3);
    JobOperations limited =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .payloadLimit(1_024)
            .build()
            .operations();

    OperationPreview preview =
        limited.preview(
            OperationAction.REDRIVE,
            JobQuery.live(),
            "{\"more\": \"%s\"}".formatted("y".repeat(100)));
    JobOperation ended = limited.run(limited.start(preview, "anna").id(), step -> {});

    assertThat(preview.changes().get(0).after()).isNull();
    assertThat(ended.done()).isEqualTo(3);
    assertThat(ended.skipped()).isEqualTo(2);
    assertThat(ended.lastReason()).contains("its payload would be too large");
    assertThat(count("status = 'dead' AND payload -> 'more' IS NULL")).isEqualTo(2);
    assertThat(count("status = 'pending' AND payload -> 'more' IS NOT NULL")).isEqualTo(3);
  }

  @Test
  void aPayloadThatExceedsTheLimitCanBecomeSmaller(QueueDatabase database) {
    insert("dead", "{\"text\": \"%s\", \"debug\": true}".formatted("x".repeat(2_000)), 1);
    JobOperations limited =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .payloadLimit(1_024)
            .build()
            .operations();

    OperationPreview preview =
        limited.preview(OperationAction.EDIT, JobQuery.live(), "{\"debug\": null}");
    JobOperation ended = limited.run(limited.start(preview, "anna").id(), step -> {});

    assertThat(ended.done()).isEqualTo(1);
    assertThat(count("payload -> 'debug' IS NULL")).isEqualTo(1);
  }

  @Test
  void reasonOfARefusedRedriveMentionsTheChangedPayload() {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at, freed_unique_key) VALUES ('work', '{}', 'dead', now(), 'k')");
    fixture.execute("INSERT INTO @jobs (kind, payload, unique_key) VALUES ('work', '{}', 'k')");
    OperationPreview preview =
        operations.preview(OperationAction.REDRIVE, JobQuery.live(), "{\"number\": 9}");

    JobOperation ended = operations.run(operations.start(preview, "anna").id(), step -> {});

    assertThat(ended.skipped()).isEqualTo(1);
    assertThat(ended.lastReason()).endsWith("holds its unique key, but its payload was changed.");
    assertThat(count("status = 'dead' AND payload = '{\"number\": 9}'")).isEqualTo(1);
  }

  @Test
  void patchesThatCannotBeAppliedAreRefused() {
    JobQuery all = JobQuery.live();
    assertThatThrownBy(() -> operations.preview(OperationAction.EDIT, all, "[1]"))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("'[1]' is not a JSON object");
    assertThatThrownBy(() -> operations.preview(OperationAction.EDIT, all, "{\"a\": \"\\u0000\"}"))
        .isInstanceOf(PayloadException.class);
    assertThatThrownBy(() -> operations.preview(OperationAction.EDIT, all, "{"))
        .isInstanceOf(PayloadException.class);
    assertThatThrownBy(
            () ->
                operations.preview(
                    OperationAction.EDIT, all, "{\"a\": \"" + "x".repeat(17_000) + "\"}"))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("16,384 are allowed");
    assertThatThrownBy(() -> operations.preview(OperationAction.CANCEL, all, "{}"))
        .hasMessageContaining("CANCEL does not change payloads");
    assertThatThrownBy(() -> operations.preview(OperationAction.EDIT, all))
        .hasMessageContaining("preview(action, filter, payloadPatch)");
    assertThatThrownBy(
            () -> operations.preview(OperationAction.REDRIVE, all.status(JobStatus.PENDING), "{}"))
        .hasMessageContaining("REDRIVE changes jobs of the status DEAD");
  }

  /** A batch must not read the other dead jobs, of which there may be a hundred thousand. */
  @Test
  void aBatchReadsItsJobsByTheirIds() {
    insert("dead", "{}", 20_000);
    insert("dead", "{\"wrong\": 1}", 10);
    OperationPreview preview =
        operations.preview(
            OperationAction.EDIT, JobQuery.live().status(JobStatus.DEAD), "{\"right\": 1}");
    JobOperation operation = operations.start(preview, "anna");
    long before = sequentialScans();

    JobOperation ended = operations.run(operation.id(), step -> operations.stop(step.id()));

    assertThat(ended.done()).isEqualTo(500);
    assertThat(sequentialScans()).isEqualTo(before);
  }

  private long sequentialScans() {
    fixture.value("SELECT pg_stat_force_next_flush()");
    return Long.parseLong(
        fixture.value(
            "SELECT seq_scan FROM pg_stat_user_tables WHERE schemaname = '%s' AND relname = 'jobs'"
                .formatted(fixture.database.schema())));
  }

  /** The examples of RFC 7396, appendix A, whose target is an object. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":\"b\"} | {\"a\":\"c\"} | {\"a\": \"c\"}",
        "{\"a\":\"b\"} | {\"b\":\"c\"} | {\"a\": \"b\", \"b\": \"c\"}",
        "{\"a\":\"b\"} | {\"a\":null} | {}",
        "{\"a\":\"b\",\"b\":\"c\"} | {\"a\":null} | {\"b\": \"c\"}",
        "{\"a\":[\"b\"]} | {\"a\":\"c\"} | {\"a\": \"c\"}",
        "{\"a\":\"c\"} | {\"a\":[\"b\"]} | {\"a\": [\"b\"]}",
        "{\"a\":{\"b\":\"c\"}} | {\"a\":{\"b\":\"d\",\"c\":null}} | {\"a\": {\"b\": \"d\"}}",
        "{\"a\":[{\"b\":\"c\"}]} | {\"a\":[1]} | {\"a\": [1]}",
        "{\"e\":null} | {\"a\":1} | {\"a\": 1, \"e\": null}",
        "{} | {\"a\":{\"bb\":{\"ccc\":null}}} | {\"a\": {\"bb\": {}}}",
        "{\"a\":[1]} | {\"a\":{\"b\":1}} | {\"a\": {\"b\": 1}}"
      })
  void objectsAreMergedAsTheStandardSays(String target, String patch, String expected) {
    assertThat(fixture.value("SELECT @merge_patch('%s', '%s')".formatted(target, patch)))
        .isEqualTo(expected);
  }

  private void insert(String status, String payload, int jobs) {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status) SELECT 'work', '%s', '%s' FROM generate_series(1, %d)"
            .formatted(payload, status, jobs));
  }

  private long count(String condition) {
    return Long.parseLong(fixture.value("SELECT count(*) FROM @jobs WHERE " + condition));
  }
}
