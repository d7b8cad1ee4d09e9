package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.faults.RowTimeout;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests calls that enqueue many unique jobs. */
@QueueTest
class UniqueBulkTest {

  private static final Unique<Sync> REPLACE = BY_ACCOUNT.replace();

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private List<EnqueueResult> enqueue(Unique<Sync> unique, Sync... payloads) {
    return fixture.unique.enqueueAll(SYNC, List.of(payloads), unique);
  }

  @Test
  void resultsAreInInputOrderAndDuplicatesBecomeOneJobWithTheFirstPayload() {
    JobId known = enqueue(BY_ACCOUNT, new Sync("c", 0)).get(0).jobId();

    List<EnqueueResult> results =
        enqueue(
            BY_ACCOUNT,
            new Sync("d", 1),
            new Sync("c", 2),
            new Sync("a", 3),
            new Sync("d", 4),
            new Sync("c", 5));

    JobId d = results.get(0).jobId();
    assertThat(results)
        .containsExactly(
            new Enqueued(d),
            new AlreadyQueued(known, HolderStatus.PENDING),
            new Enqueued(results.get(2).jobId()),
            new AlreadyQueued(d, HolderStatus.PENDING),
            new AlreadyQueued(known, HolderStatus.PENDING));
    assertThat(jobs()).isEqualTo("a3 c0 d1");
  }

  @Test
  void duplicatesThatReplaceBecomeOneJobWithTheLastPayload() {
    JobId known = enqueue(BY_ACCOUNT, new Sync("c", 0)).get(0).jobId();

    List<EnqueueResult> results =
        enqueue(REPLACE, new Sync("d", 1), new Sync("c", 2), new Sync("d", 3), new Sync("c", 4));

    JobId d = results.get(0).jobId();
    assertThat(results)
        .containsExactly(
            new Enqueued(d), new Replaced(known), new Replaced(d), new Replaced(known));
    assertThat(jobs()).isEqualTo("c4 d3");
  }

  @Test
  void eachJobHasAResultOfItsOwn() {
    JobId running = enqueue(BY_ACCOUNT, new Sync("a", 1)).get(0).jobId();
    fixture.claim();
    JobId pending = enqueue(BY_ACCOUNT, new Sync("b", 1)).get(0).jobId();

    List<EnqueueResult> results =
        enqueue(REPLACE, new Sync("c", 2), new Sync("b", 2), new Sync("a", 2));

    assertThat(results)
        .containsExactly(
            new Enqueued(results.get(0).jobId()),
            new Replaced(pending),
            new AlreadyQueued(running, HolderStatus.RUNNING));
    assertThat(jobs()).isEqualTo("a1 b2 c2");
  }

  @Test
  void resultsForKeysOfAPeriodAreInInputOrder() {
    Unique<Sync> perHour = BY_ACCOUNT.perPeriod(Duration.ofHours(1));
    JobId known = enqueue(perHour, new Sync("c", 0)).get(0).jobId();

    List<EnqueueResult> results =
        enqueue(perHour, new Sync("d", 1), new Sync("c", 2), new Sync("d", 3));

    JobId d = results.get(0).jobId();
    assertThat(results)
        .containsExactly(
            new Enqueued(d),
            new AlreadyQueued(known, HolderStatus.PENDING),
            new AlreadyQueued(d, HolderStatus.PENDING));
    assertThat(jobs()).isEqualTo("c0 d1");
  }

  @Test
  void noJobIsEnqueuedIfOneIsRefused() {
    assertThatThrownBy(() -> enqueue(BY_ACCOUNT, new Sync("a", 1), new Sync("", 2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(enqueue(BY_ACCOUNT)).isEmpty();
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  /** Each call needs several statements, and some of the keys have a holder, so both phases run. */
  @Test
  void callsThatShareKeysInOppositeOrdersDoNotDeadlock() throws Exception {
    List<Sync> rising =
        IntStream.range(0, 2_500).mapToObj(i -> new Sync("account-" + i, i)).toList();
    List<Sync> falling = new ArrayList<>(rising);
    Collections.reverse(falling);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 3; round++) {
        fixture.execute("DELETE FROM @jobs WHERE id % 2 = 0");
        Future<List<EnqueueResult>> one =
            threads.submit(() -> fixture.unique.enqueueAll(SYNC, rising, REPLACE));
        Future<List<EnqueueResult>> other =
            threads.submit(() -> fixture.unique.enqueueAll(SYNC, falling, REPLACE));

        assertThat(one.get(30, TimeUnit.SECONDS).get(17).jobId())
            .isEqualTo(other.get(30, TimeUnit.SECONDS).get(2_482).jobId());
        assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("2500");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** If a chunk exceeds the statement timeout, the call is repeated in smaller chunks. */
  @Test
  void aCallThatIsTooLargeForATimeoutUsesSmallerStatements() throws SQLException {
    List<Sync> payloads = IntStream.range(0, 300).mapToObj(i -> new Sync("a-" + i, i)).toList();
    try (RowTimeout timeout =
        RowTimeout.over(100, fixture.database.dataSource(), fixture.database.schema(), "jobs")) {
      assertThat(fixture.unique.enqueueAll(SYNC, payloads, REPLACE))
          .hasSize(300)
          .hasOnlyElementsOfType(Enqueued.class);
      long first = timeout.aborted();
      assertThat(fixture.unique.enqueueAll(SYNC, payloads, REPLACE))
          .hasSize(300)
          .hasOnlyElementsOfType(Replaced.class);
      long second = timeout.aborted();
      assertThat(
              fixture.unique.enqueueAll(SYNC, payloads, BY_ACCOUNT.perPeriod(Duration.ofHours(1))))
          .hasSize(300)
          .hasOnlyElementsOfType(Enqueued.class);
      assertThat(List.of(first, second - first, timeout.aborted() - second)).allMatch(n -> n > 0);
    }
  }

  /** The jobs are created in an order that differs from that of their keys. */
  @Test
  void jobsAreLockedInTheOrderOfTheKeys() throws Exception {
    JobId b = enqueue(BY_ACCOUNT, new Sync("b", 0)).get(0).jobId();
    JobId a = enqueue(BY_ACCOUNT, new Sync("a", 0)).get(0).jobId();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = fixture.database.connection()) {
      holder.setAutoCommit(false);
      holder
          .createStatement()
          .execute(fixture.inSchema("SELECT FROM @jobs WHERE id = " + a + " FOR UPDATE"));
      Future<List<EnqueueResult>> waiting =
          thread.submit(() -> enqueue(REPLACE, new Sync("b", 1), new Sync("a", 1)));
      fixture.awaitOneBlocked();

      assertThat(fixture.claim(2, Fixture.LEASE))
          .as("not locked yet")
          .extracting(Execution::jobId)
          .containsExactly(b);

      holder.rollback();
      holder.setAutoCommit(true);
      assertThat(waiting.get(10, TimeUnit.SECONDS))
          .containsExactly(new AlreadyQueued(b, HolderStatus.RUNNING), new Replaced(a));
    } finally {
      thread.shutdownNow();
    }
  }

  private String jobs() {
    return fixture.value(
        "SELECT string_agg((payload->>'account') || (payload->>'version'), ' ' ORDER BY payload->>'account') FROM @jobs");
  }
}
