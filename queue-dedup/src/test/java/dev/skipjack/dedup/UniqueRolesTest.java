package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.migrations.Roles;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the roles shipped with the migrations have exactly the privileges for unique jobs. */
@QueueTest
class UniqueRolesTest {

  @Test
  void aProducerEnqueuesUniqueJobsInEveryWay(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    // Roles belong to the server, and other test JVMs may use the same one.
    String prefix = "u" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute(Roles.sql(database.schema(), prefix));
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(2);
      pool.setConnectionInitSql("SET ROLE " + prefix + "_producer");
      UniqueJobs unique = UniqueJobs.on(JobQueue.builder(pool).schema(database.schema()).build());
      List<Unique<Fixture.Sync>> ways =
          List.of(
              BY_ACCOUNT,
              BY_ACCOUNT.untilStarted(),
              BY_ACCOUNT.whileLiveOrDead(),
              BY_ACCOUNT.perPeriod(Duration.ofHours(1)),
              BY_ACCOUNT.replace(),
              BY_ACCOUNT.debounce(Duration.ofMinutes(1), Duration.ofMinutes(5)));
      for (int i = 0; i < ways.size(); i++) {
        Unique<Fixture.Sync> way = ways.get(i).withinQueue();
        String account = "account" + i;
        for (int times = 0; times < 3; times++) {
          unique.enqueue(SYNC, sync(account), way);
          unique.enqueueAll(SYNC, List.of(sync(account), sync(account + "x")), way);
          try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            unique.in(transaction).enqueue(SYNC, sync(account), way);
            transaction.commit();
          }
        }
        assertThat(unique.find(SYNC, sync(account), way)).isPresent();
      }
      assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("12");

      // Only operators may cancel jobs, even by key.
      assertThatThrownBy(() -> unique.cancel(SYNC, sync("account0"), ways.get(0).withinQueue()))
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.sqlState()).contains("42501"));
    } finally {
      for (String role : List.of("sql_producer", "producer", "worker", "operator", "viewer")) {
        fixture.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
      }
    }
  }
}
