package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Shows that each part of a claim under a limit is needed. Each test runs a mutant, which exceeds
 * the limit in a situation in which {@link LimitInterleavingsTest} shows that the claim does not.
 */
@QueueTest
class LimitMutantsTest {

  private static final Lane ONE = new Lane("one", 0);
  private static final Lane TWO = new Lane("two", 0);
  private static final String LIMIT = "shared";

  private LimitFixture limits;
  private SteppedDataSource first;
  private SteppedDataSource second;
  private LimitClaims claims;
  private LimitClaims other;

  @BeforeEach
  void setUp(QueueDatabase database) {
    limits = new LimitFixture(database);
    first = new SteppedDataSource(database.dataSource());
    second = new SteppedDataSource(database.dataSource());
    claims = limits.claims(first.dataSource, "first");
    other = limits.claims(second.dataSource, "second");
    for (Lane lane : List.of(ONE, TWO)) {
      limits.enqueue(lane.queue(), 3, 5);
    }
  }

  @AfterEach
  void requireSteps() {
    assertThat(first.isDone()).as("all steps were taken").isTrue();
  }

  private void shared(@Nullable Integer running, @Nullable Integer perGroup) {
    limits.limit(LIMIT, running, perGroup);
    limits.queue("one", LIMIT, false);
    limits.queue("two", LIMIT, true);
  }

  private void rewrite(UnaryOperator<String> change) {
    first.rewrite(change);
    second.rewrite(change);
  }

  private static String without(String part, String sql) {
    assertThat(sql).contains(part);
    return sql.replace(part, "");
  }

  @Test
  void withoutTheLockOfTheLimitTwoClaimsExceedIt() throws Exception {
    shared(1, null);
    rewrite(sql -> LimitSql.locksLimit(sql) ? without(LimitSql.LOCK, sql) : sql);
    first.beforeCommit(() -> other.claim(TWO, 5));

    assertThat(claims.claim(ONE, 5).jobs()).hasSize(1);

    assertThat(limits.running()).isEqualTo(2);
    assertThat(limits.audit().mostRunning()).isEqualTo(2);
  }

  @Test
  void withoutTheLocksOfGroupsTwoClaimsExceedTheirNumber() throws Exception {
    shared(null, 2);
    rewrite(
        sql ->
            LimitSql.locksGroups(sql)
                ? sql.replace("pg_catalog.pg_try_advisory_xact_lock(", "0 <> abs(1 + 0 * ")
                : sql);
    first.beforeCommit(() -> other.claim(TWO, 9));

    assertThat(claims.claim(ONE, 9).jobs()).hasSize(6);

    assertThat(limits.audit().mostRunningOfAGroup()).isEqualTo(4);
  }

  /**
   * A statement that locks and counts has its snapshot before its lock. In this mutant, the whole
   * transaction has a snapshot that is older than its lock.
   */
  @Test
  void withTheSnapshotOfTheCountBeforeTheLockTwoClaimsExceedTheLimit() throws Exception {
    shared(3, null);
    GroupClaim request = claims.request(ONE, 5, LEASE);
    String readCommitted = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;";
    first.rewrite(sql -> LimitSql.locksLimit(sql) ? without(readCommitted, sql) : sql);
    first.onConnectionBefore(
        LimitSql::locksLimit,
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.execute("SELECT now()");
          }
          assertThat(other.claim(TWO, 3).jobs()).hasSize(3);
        });

    assertThat(claims.store().claimGroups(request).jobs()).hasSize(3);

    assertThat(limits.audit().mostRunning()).isEqualTo(6);
  }

  /** Both shares would use the same free permits. */
  @Test
  void aClaimRefusesTwoSharesOfOneGroup() {
    GroupClaim.Share share = new GroupClaim.Share("tenant 1", 5, 1, null, null);

    assertThatThrownBy(
            () ->
                new GroupClaim(
                    WorkerId.boot("test"),
                    ONE,
                    LIMIT,
                    false,
                    true,
                    List.of(share, share),
                    List.of("work"),
                    10,
                    LEASE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tenant 1");
  }
}
