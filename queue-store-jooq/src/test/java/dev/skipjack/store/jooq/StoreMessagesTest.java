package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that the messages of {@link StoreException} name the failure and its fix. */
@QueueTest
class StoreMessagesTest {

  private final QueueDatabase database;

  StoreMessagesTest(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void exhaustedPoolIsNotReportedAsADatabaseFailure() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setConnectionTimeout(250);
      JobQueue queue = JobQueue.on(pool);
      try (Connection taken = pool.getConnection()) {
        assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(1)))
            .as("while %s is taken", taken)
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("nothing was sent to the database")
            .hasMessageContaining("request timed out after")
            .hasMessageContaining("raise the pool's maximum size")
            .hasMessageContaining("controlOn");
      }
    }
  }

  /** Pools have no common exception for a missing connection. */
  @Test
  void exceptionOfThePoolNamesThePool() {
    DataSource empty = failing(new SQLException("Sorry, acquisition timeout!"));

    assertThatThrownBy(() -> JobQueue.on(empty).store().dueLanes(List.of("default")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("The data source provided no connection")
        .hasMessageContaining("Sorry, acquisition timeout! If all");
  }

  @Test
  void aServerThatCannotBeReachedIsNamed() {
    PGSimpleDataSource nobody = new PGSimpleDataSource();
    nobody.setUrl("jdbc:postgresql://localhost:1/nobody");

    assertThatThrownBy(() -> JobQueue.on(nobody).enqueue(Fixture.WORK, new Fixture.Work(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("could not be reached")
        .hasMessageContaining("08001")
        .hasMessageContaining("localhost:1");
  }

  @Test
  void timeoutOfAPoolNamesTheServersFailureThatCausedIt() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:postgresql://localhost:1/nobody");
      pool.setInitializationFailTimeout(-1);
      pool.setConnectionTimeout(500);

      assertThatThrownBy(() -> JobQueue.on(pool).enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("could not be reached")
          .hasMessageContaining("Last failure: Connection to localhost:1 refused");
    }
  }

  @Test
  void aMissingSchemaIsReportedWithTheFix() {
    JobQueue queue = JobQueue.builder(database.dataSource()).schema("never_migrated").build();

    assertThatThrownBy(() -> queue.enqueue(Fixture.WORK, new Fixture.Work(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("never_migrated")
        .hasMessageContaining("Migrations.migrate(dataSource, schema)")
        .hasMessageContaining("JobQueue.builder(dataSource).schema(schema)");
    assertThatThrownBy(() -> queue.reader().counts())
        .hasMessageContaining("Migrations.migrate(dataSource, schema)");
  }

  @Test
  void aRefusedUserIsReportedWithTheFix() {
    PGSimpleDataSource stranger = new PGSimpleDataSource();
    stranger.setUrl(database.jdbcUrl());
    stranger.setUser("a_stranger");

    assertThatThrownBy(() -> JobQueue.on(stranger).enqueue(Fixture.WORK, new Fixture.Work(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("a_stranger")
        .hasMessageEndingWith("Correct the user or the password of the data source.");
  }

  @Test
  void aWrongPasswordIsReportedWithTheFix() {
    PGSimpleDataSource mistyped = new PGSimpleDataSource();
    mistyped.setUrl(database.jdbcUrl());
    mistyped.setPassword("mistyped");

    assertThatThrownBy(() -> JobQueue.on(mistyped).enqueue(Fixture.WORK, new Fixture.Work(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("28P01")
        .hasMessageContaining("password authentication failed")
        .hasMessageEndingWith("Correct the user or the password of the data source.");
  }

  @Test
  void aMissingDriverIsReportedWithTheFix() {
    SQLException noDriver =
        catchThrowableOfType(
            SQLException.class, () -> DriverManager.getConnection("jdbc:nothing://host/shop"));

    assertThatThrownBy(
            () -> JobQueue.on(failing(noDriver)).enqueue(Fixture.WORK, new Fixture.Work(1)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("jdbc:nothing://host/shop")
        .hasMessageEndingWith("Add org.postgresql:postgresql to the class path.");
  }

  @Test
  void aPoolWithoutADriverIsReportedWithTheFix() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl("jdbc:nothing://host/shop");

      assertThatThrownBy(() -> JobQueue.on(pool).enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOf(StoreException.class)
          .hasMessageEndingWith("Add org.postgresql:postgresql to the class path.");
    }
  }

  record Holds(Object value) {}

  @Test
  void aPayloadThatCannotBeWrittenIsReportedWithTheFix() {
    JobType<Holds> type = JobType.of("k", Holds.class);

    assertThatThrownBy(
            () -> JobQueue.on(database.dataSource()).enqueue(type, new Holds(new Object())))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("at '/value'")
        .hasMessageEndingWith("or set a PayloadCodec that can write it.");
  }

  private static DataSource failing(SQLException failure) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              throw failure;
            });
  }
}
