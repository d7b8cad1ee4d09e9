package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.JobId;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests two calls that share keys while one of the keys is released. The server aborts one of the
 * two transactions, and the queue repeats it without an error.
 */
@QueueTest
class UniqueDeadlockTest {

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  static Stream<Unique<Sync>> replacing() {
    Unique<Sync> untilStarted = BY_ACCOUNT.untilStarted();
    return Stream.of(
        untilStarted.replace(), untilStarted.debounce(Duration.ofMillis(1), Duration.ofMinutes(1)));
  }

  /**
   * The first call locks the job of one key, and takes the other key, which a claim has released.
   */
  @ParameterizedTest
  @MethodSource("replacing")
  void neitherOfTwoReplacingCallsFailsDuringAConcurrentClaim(Unique<Sync> unique) throws Exception {
    JobId a = fixture.unique.enqueue(SYNC, sync("a"), unique).jobId();
    JobId b = fixture.unique.enqueue(SYNC, sync("b"), unique).jobId();
    fixture.execute("UPDATE @jobs SET scheduled_at = created_at");
    try (Connection holder = fixture.database.connection()) {
      holder.setAutoCommit(false);
      holder
          .createStatement()
          .execute(fixture.inSchema("SELECT FROM @jobs WHERE id = " + a + " FOR UPDATE"));
      Future<List<EnqueueResult>> one = enqueue(unique, "a", "b");
      fixture.awaitBlocked(1);
      assertThat(fixture.claim().jobId()).isEqualTo(b);
      Future<List<EnqueueResult>> other = enqueue(unique, "a", "b");
      fixture.awaitBlocked(2);
      holder.rollback();
      holder.setAutoCommit(true);

      List<EnqueueResult> first = one.get(20, TimeUnit.SECONDS);
      List<EnqueueResult> second = other.get(20, TimeUnit.SECONDS);

      JobId next = first.get(1).jobId();
      assertThat(List.of(first.get(0), second.get(0))).containsOnly(new Replaced(a));
      assertThat(List.of(first.get(1), second.get(1)))
          .containsExactlyInAnyOrder(new Enqueued(next), new Replaced(next));
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'pending'")).isEqualTo("2");
  }

  /**
   * The first call has inserted a late key, and retries an early key that was taken and released.
   */
  @Test
  void neitherOfTwoCallsFailsWhenAKeyIsTakenAndFreed() throws Exception {
    try (Connection early = fixture.database.connection();
        Connection late = fixture.database.connection()) {
      early.setAutoCommit(false);
      late.setAutoCommit(false);
      fixture.unique.in(early).enqueue(SYNC, sync("a"), BY_ACCOUNT);
      fixture.unique.in(late).enqueue(SYNC, sync("z"), BY_ACCOUNT);
      Future<List<EnqueueResult>> one = enqueue(BY_ACCOUNT, "a", "m", "z");
      fixture.awaitBlocked(1);
      early.commit();
      fixture.awaitBlockedBy(late);
      fixture.unique.cancel(SYNC, sync("a"), BY_ACCOUNT);
      Future<List<EnqueueResult>> other = enqueue(BY_ACCOUNT, "a", "m");
      fixture.awaitBlocked(2);
      late.rollback();
      early.setAutoCommit(true);
      late.setAutoCommit(true);

      List<EnqueueResult> first = one.get(20, TimeUnit.SECONDS);
      List<EnqueueResult> second = other.get(20, TimeUnit.SECONDS);

      assertThat(first.get(2)).isInstanceOf(Enqueued.class);
      assertThat(ids(second)).isEqualTo(ids(first.subList(0, 2)));
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("3");
  }

  /**
   * The call locks the late key's job exclusively and waits for the next job of the early key. The
   * creator of that next job, whose transaction began before the late key's job was overdue, does
   * not wait for the call.
   */
  @Test
  void aHandoverAndAnExclusivelyLockedJobDoNotDeadlock() throws Exception {
    Unique<Sync> untilStarted = BY_ACCOUNT.untilStarted();
    JobId a = fixture.unique.enqueue(SYNC, sync("a"), untilStarted).jobId();
    fixture.execute("UPDATE @jobs SET scheduled_at = clock_timestamp() - interval '20 seconds'");
    JobId c = fixture.unique.enqueue(SYNC, sync("c"), untilStarted).jobId();
    try (Connection first = fixture.database.connection();
        Connection creator = fixture.database.connection();
        Connection call = fixture.database.connection()) {
      for (Connection connection : List.of(first, creator, call)) {
        connection.setAutoCommit(false);
      }
      assertThat(fixture.unique.in(first).enqueue(SYNC, sync("a"), untilStarted).jobId())
          .isEqualTo(a);
      JobId next = fixture.unique.in(creator).enqueue(SYNC, sync("a"), untilStarted).jobId();
      assertThat(next).isNotEqualTo(a);
      fixture.awaitTrue(
          "SELECT clock_timestamp() > scheduled_at + interval '1.2 s' FROM @jobs WHERE id = " + c);
      Future<List<EnqueueResult>> both =
          threads.submit(
              () ->
                  fixture
                      .unique
                      .in(call)
                      .enqueueAll(SYNC, List.of(sync("a"), sync("c")), untilStarted));
      fixture.awaitBlockedBy(creator);

      EnqueueResult late = fixture.unique.in(creator).enqueue(SYNC, sync("c"), untilStarted);
      creator.commit();

      assertThat(late).as("the next job of the late key").isInstanceOf(Enqueued.class);
      assertThat(ids(both.get(20, TimeUnit.SECONDS))).containsExactly(next, c);
      call.commit();
      first.commit();
    }
  }

  private Future<List<EnqueueResult>> enqueue(Unique<Sync> unique, String... accounts) {
    List<Sync> payloads = Stream.of(accounts).map(Fixture::sync).toList();
    return threads.submit(() -> fixture.unique.enqueueAll(SYNC, payloads, unique));
  }

  private static List<JobId> ids(List<EnqueueResult> results) {
    return results.stream().map(EnqueueResult::jobId).toList();
  }
}
