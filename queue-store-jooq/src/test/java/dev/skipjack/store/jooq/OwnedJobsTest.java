package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that every way to end a job with an owner archives it with its owner, although its queue
 * keeps no ended jobs.
 */
@QueueTest
class OwnedJobsTest {

  private Fixture fixture;

  @BeforeEach
  void begin(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture
        .queue
        .admin()
        .configure("default", QueueSettings.defaults().archiveRetention(Duration.ZERO));
  }

  private static NewJob job(UnaryOperator<EnqueueOptions> options) {
    return NewJob.of(Fixture.WORK, "{\"number\":1}", options.apply(EnqueueOptions.none()));
  }

  private static NewJob owned() {
    return job(UnaryOperator.identity()).ownedBy(77);
  }

  /** Enqueues owned jobs and one without an owner, and claims them all. */
  private List<Execution> claimed(int owned) {
    fixture.store.enqueue(Collections.nCopies(owned, owned()));
    fixture.store.enqueue(List.of(job(UnaryOperator.identity())));
    List<Execution> claimed = fixture.claim(owned + 1).stream().map(ClaimedJob::execution).toList();
    assertThat(claimed).hasSize(owned + 1);
    return claimed;
  }

  /** Asserts that the given number of owned jobs was archived, and no other. */
  private void assertArchived(String status, int count) {
    assertThat(
            fixture.value(
                "SELECT string_agg(DISTINCT status || ' ' || coalesce(owner_id, 0), ',') || ' ' || count(*) FROM @jobs_archive"))
        .isEqualTo("%s 77 %d".formatted(status, count));
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  private void inTransaction(Work work) throws SQLException {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      work.run(connection);
      connection.commit();
    }
  }

  @FunctionalInterface
  private interface Work {
    void run(Connection connection) throws SQLException;
  }

  @Test
  void everyEnqueueWritesTheOwnerToTheRowAndToTheHeaders() throws SQLException {
    fixture.store.enqueue(List.of(owned()));
    fixture.store.enqueue(List.of(owned(), owned()));
    fixture.store.enqueue(List.of(owned(), owned().tagged(List.of("other"))));
    fixture.store.enqueue(List.of(owned(), job(job -> job.orderingKey("k")).ownedBy(78)));
    fixture.store.enqueue(List.of(owned(), job(UnaryOperator.identity())));
    inTransaction(connection -> fixture.store.enqueue(connection, List.of(owned())));

    assertThat(
            fixture.value(
                "SELECT string_agg(coalesce(owner_id::text, '-'), ' ' ORDER BY id) FROM @jobs"))
        .isEqualTo("77 77 77 77 77 77 78 77 - 77");
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @jobs WHERE owner_id::text IS DISTINCT FROM headers ->> 'skipjack-owner'"))
        .isEqualTo("0");
    assertThat(fixture.claim(10))
        .extracting(job -> job.execution().owner())
        .containsExactlyInAnyOrder(77L, 77L, 77L, 77L, 77L, 77L, 78L, 77L, null, 77L);
  }

  @Test
  void aHeaderThatHoldsNoIdIsNoOwner() {
    for (String value : List.of("x", "-1", "0", "07", "99999999999999999999", "")) {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, headers) VALUES ('work', '{}', '{\"skipjack-owner\": \"%s\"}')"
              .formatted(value));
    }
    assertThat(fixture.claim(10)).hasSize(6).allMatch(job -> job.execution().owner() == null);
  }

  @Test
  void completionsAreArchived() throws SQLException {
    List<Execution> claimed = claimed(6);
    fixture.store.complete(claimed.subList(0, 1));
    fixture.store.complete(claimed.subList(1, 3));
    inTransaction(connection -> fixture.store.completeIn(connection, claimed.get(3)));
    inTransaction(connection -> fixture.store.completeIn(connection, claimed.get(4), "[1]"));
    fixture.store.endWithData(List.of(FinalOutcome.completed(claimed.get(5), "1")));
    fixture.store.complete(claimed.subList(6, 7));

    assertArchived("completed", 6);
  }

  @Test
  void aBatchOfCompletionsWithAndWithoutOwnersArchivesThoseWithOne() {
    fixture.store.complete(claimed(2));

    assertArchived("completed", 2);
  }

  @Test
  void aHandOverCompletesAnOwnedJobWithoutClaimingTheNextOne() {
    NewJob ordered = job(job -> job.orderingKey("k")).ownedBy(77);
    fixture.store.enqueue(List.of(ordered, ordered));
    Execution first = fixture.claimOne(Fixture.LEASE);
    HandOver handOver =
        new HandOver(
            first,
            new Lane("default", 0),
            WorkerId.boot("test"),
            List.of(Fixture.WORK.kind()),
            1_000,
            Fixture.LEASE);
    assertThat(fixture.store.handOver(handOver).next()).isNull();
    fixture.store.complete(List.of(fixture.claimOne(Fixture.LEASE)));

    assertArchived("completed", 2);
  }

  @Test
  void cancellationsAreArchived() {
    List<Execution> claimed = claimed(4);
    List<JobId> ids = claimed.stream().map(Execution::jobId).toList();
    fixture.queue.admin().cancel(ids);
    fixture.store.fail(
        List.of(new Failure(claimed.get(0), JobError.of("no luck"), Duration.ZERO, false)));
    fixture.store.requeue(
        List.of(new Requeue(claimed.get(1), ExecutionStatus.RELEASED, Duration.ZERO, null)));
    fixture.store.endWithData(List.of(FinalOutcome.cancelled(claimed.get(2), "no use")));
    fixture.execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 hour'");
    assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(2);
    List<JobId> pending =
        fixture.store.enqueue(List.of(owned(), job(UnaryOperator.identity()))).stream()
            .map(EnqueueResult::jobId)
            .toList();
    fixture.queue.admin().cancel(pending);

    assertArchived("cancelled", 5);
  }

  @Test
  void aPrunedDeadJobIsArchivedAsCancelled() {
    List<Execution> claimed = claimed(1);
    fixture.store.fail(
        claimed.stream()
            .map(each -> new Failure(each, JobError.of("no luck"), Duration.ZERO, true))
            .toList());
    fixture.queue.admin().prune(claimed.stream().map(Execution::jobId).toList());

    assertArchived("cancelled", 1);
    assertThat(fixture.value("SELECT last_error FROM @jobs_archive")).isEqualTo("no luck");
  }

  /** Without a module that uses owners, nothing follows the end of a job with an owner. */
  @Test
  void nothingIsCheckedWithoutAModule() {
    assertThat(fixture.queue.ownedJobs()).isEmpty();
  }
}
