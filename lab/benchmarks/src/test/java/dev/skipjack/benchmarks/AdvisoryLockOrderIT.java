package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.benchmarks.AdvisoryLockOrder.Claimed;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shows why Skipjack does not order jobs by an advisory lock that is taken after the claim. */
class AdvisoryLockOrderIT {

  private QueueDatabase server;
  private BenchmarkDatabase database;

  @BeforeEach
  void open() throws Exception {
    server = QueueDatabase.create();
    database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2);
    AdvisoryLockOrder.create(database);
  }

  @AfterEach
  void close() {
    database.close();
    server.close();
  }

  @Test
  void aSecondSessionOvertakesTheOneThatHasClaimedButNotYetLockedTheKey() throws Exception {
    OrderedRows rows = OrderedRows.of(2, 1);
    AdvisoryLockOrder.fill(database, rows);
    List<Long> started = new ArrayList<>();
    try (Connection slow = session();
        Connection quick = session()) {
      List<Claimed> first = AdvisoryLockOrder.claim(slow, 1);
      assertThat(first).extracting(Claimed::id).containsExactly(1L);

      int ran =
          AdvisoryLockOrder.runBatch(
              quick,
              1,
              n -> {
                rows.started(n);
                started.add(n);
              });
      assertThat(ran).isEqualTo(1);

      assertThat(AdvisoryLockOrder.lock(slow, first)).isEqualTo(first);
      rows.started(first.get(0).id());
      started.add(first.get(0).id());
      AdvisoryLockOrder.complete(slow, first);
      slow.commit();
    }
    assertThat(started).containsExactly(2L, 1L);
    assertThat(rows.violations()).hasValue(1);
  }

  @Test
  void theLockKeepsJobsOfOneKeyFromRunningAtTheSameTime() throws Exception {
    AdvisoryLockOrder.fill(database, OrderedRows.of(2, 1));
    try (Connection one = session();
        Connection other = session()) {
      List<Claimed> first = AdvisoryLockOrder.claim(one, 1);
      assertThat(AdvisoryLockOrder.lock(one, first)).isEqualTo(first);

      assertThat(AdvisoryLockOrder.runBatch(other, 1, n -> {})).isZero();
    }
  }

  private Connection session() throws Exception {
    Connection session = database.bareConnection();
    session.setAutoCommit(false);
    return session;
  }
}
