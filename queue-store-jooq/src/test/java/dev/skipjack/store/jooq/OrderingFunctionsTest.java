package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the schema's functions with which operators manage ordering keys. */
@QueueTest
class OrderingFunctionsTest {

  private Fixture fixture;
  private OrderedJobs ordered;

  @BeforeEach
  void open(QueueDatabase database) {
    fixture = new Fixture(database);
    ordered = fixture.queue.orderedJobs().orElseThrow();
  }

  @Test
  void blockedKeysAreThoseOfTheReader() {
    enqueue("b", 3);
    killOne();
    enqueue("a", 1_003);
    killOne();
    enqueue("c", 2);

    List<BlockedKey> read = fixture.queue.reader().blockedKeys();
    assertThat(read).extracting(BlockedKey::waiting).containsExactly(1_000, 2);
    for (BlockedKey key : read) {
      assertThat(
              fixture.value(
                  "SELECT concat_ws(',', ordering_key, head, queue, kind, last_error, waiting,"
                      + " died_at = '"
                      + key.diedAt()
                      + "') FROM @blocked_keys() WHERE ordering_key = '"
                      + key.orderingKey()
                      + "'"))
          .isEqualTo(
              "%s,%s,default,work,no luck,%d,t"
                  .formatted(key.orderingKey(), key.head(), key.waiting()));
    }
    assertThat(fixture.value("SELECT string_agg(ordering_key, ' ') FROM @blocked_keys()"))
        .isEqualTo("a b");
  }

  @Test
  void unblockTakesTheKeyFromADeadHeadOnly() {
    List<JobId> jobs = enqueue("a", 2);
    assertThat(fixture.value("SELECT @unblock('a')")).isEqualTo("f");
    killOne();
    assertThat(fixture.value("SELECT @unblock('a')")).isEqualTo("t");
    assertThat(fixture.value("SELECT @unblock('a')")).isEqualTo("f");

    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(statuses()).isEqualTo("dead pending");
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void functionsTakeTheKeyOnlyFromTheGivenJob() {
    List<JobId> jobs = enqueue("a", 2);
    assertThat(fixture.value("SELECT @skip_head('a', %s) IS NULL".formatted(jobs.get(1))))
        .isEqualTo("t");
    killOne();
    assertThat(fixture.value("SELECT @unblock('a', %s)".formatted(jobs.get(1)))).isEqualTo("f");
    assertThat(fixture.value("SELECT @unblock('a', head => %s)".formatted(jobs.get(0))))
        .isEqualTo("t");
    ordered.sweep();
    assertThat(fixture.value("SELECT @skip_head('a', head => %s)".formatted(jobs.get(1))))
        .isEqualTo(jobs.get(1).toString());
  }

  @Test
  void skipHeadPutsAPendingJobAtTheBackAndReturnsIt() {
    List<JobId> jobs = enqueue("a", 3);
    assertThat(fixture.value("SELECT @skip_head('a')")).isEqualTo(jobs.get(0).toString());
    ordered.sweep();
    assertThat(statuses()).isEqualTo("waiting pending waiting");
    for (int next : new int[] {1, 2, 0}) {
      List<ClaimedJob> claimed = fixture.claim(10);
      assertThat(claimed)
          .extracting(each -> each.execution().jobId())
          .containsExactly(jobs.get(next));
      fixture.store.complete(List.of(claimed.get(0).execution()));
    }
  }

  @Test
  void skipHeadLeavesADeadJobDead() {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    assertThat(fixture.value("SELECT @skip_head('a')")).isEqualTo(jobs.get(0).toString());
    ordered.sweep();
    assertThat(statuses()).isEqualTo("dead pending");
  }

  @Test
  void skipHeadRefusesARunningJobAndIgnoresAnUnknownKey() throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    fixture.claimOne(Fixture.LEASE);
    try (Rival operator = new Rival(fixture.database)) {
      assertThatThrownBy(() -> operator.execute(fixture.inSchema("SELECT @skip_head('a')")))
          .hasMessageContaining("Job " + jobs.get(0) + " is running")
          .extracting(refused -> ((SQLException) refused).getSQLState())
          .isEqualTo("55006");
    }
    assertThat(fixture.value("SELECT @skip_head('other') IS NULL")).isEqualTo("t");
    assertThat(statuses()).isEqualTo("running waiting");
  }

  @ParameterizedTest
  @ValueSource(strings = {"unblock", "skip_head"})
  void functionsDoNotWaitForALockedHead(String function) throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    try (Rival rival = new Rival(fixture.database);
        Rival operator = new Rival(fixture.database)) {
      rival.begin();
      rival.execute(
          fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(0) + " FOR UPDATE"));
      assertThatThrownBy(() -> operator.execute(fixture.inSchema("SELECT @" + function + "('a')")))
          .extracting(refused -> ((SQLException) refused).getSQLState())
          .isEqualTo("55P03");
      rival.rollback();
    }
  }

  /** Until the transaction ends, all others see a head, so nothing is promoted. */
  @ParameterizedTest
  @ValueSource(strings = {"unblock", "skip_head"})
  void keyIsFreeWhenTheTransactionCommits(String function) throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    killOne();
    try (Rival operator = new Rival(fixture.database)) {
      operator.begin();
      operator.execute(fixture.inSchema("SELECT @" + function + "('a')"));
      assertThat(ordered.sweep().promoted()).isEmpty();
      operator.rollback();
      assertThat(ordered.sweep().promoted()).isEmpty();

      operator.begin();
      operator.execute(fixture.inSchema("SELECT @" + function + "('a')"));
      operator.commit();
    }
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  private List<JobId> enqueue(String key, int count) {
    return fixture.queue.enqueueAll(
        Fixture.WORK,
        IntStream.rangeClosed(1, count).mapToObj(Fixture.Work::new).toList(),
        job -> job.orderingKey(key));
  }

  private void killOne() {
    fixture.store.fail(
        List.of(
            new Failure(
                fixture.claimOne(Fixture.LEASE), JobError.of("no luck"), Duration.ZERO, true)));
  }

  private List<JobId> claimed() {
    return fixture.claim(100).stream().map(each -> each.execution().jobId()).toList();
  }

  /** Returns the statuses of the jobs of the key {@code a}, in the order of their ids. */
  private String statuses() {
    return fixture.value(
        "SELECT string_agg(status, ' ' ORDER BY id) FROM @jobs WHERE ordering_key = 'a'");
  }
}
