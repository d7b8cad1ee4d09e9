package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.ShadowSchema;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that statements do not call functions, operators and types of other schemas in a
 * connection's {@code search_path}.
 */
@QueueTest
class ShadowedStatementsTest {

  private static final String IN_FRONT = "shadows, pg_catalog";

  private Fixture fixture;
  private String schema;

  @BeforeEach
  void createShadows(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    schema = database.schema();
    try (Connection connection = database.connection()) {
      ShadowSchema.create(
          connection,
          "shadows",
          EveryStatement.texts(schema).values().stream().map(StatementText::sql).toList());
    }
  }

  @AfterEach
  void dropShadows() {
    fixture.execute("DROP SCHEMA shadows CASCADE");
  }

  /**
   * A shadow that comes after the server's own functions in the path is called if its types match
   * better.
   */
  @ParameterizedTest
  @ValueSource(strings = {"shadows, public", IN_FRONT})
  void statementsCallOnlyObjectsOfTheServer(String searchPath) throws SQLException {
    try (HikariDataSource pool = poolOn(searchPath)) {
      RecordingDataSource recording = new RecordingDataSource(pool);
      JobQueue queue =
          JobQueue.builder(recording.dataSource).schema(schema).sameForAllThreads(true).build();

      EveryStatement.ofAJobsLife(queue, recording.dataSource);
      EveryStatement.ofAPerson(queue);
      EveryStatement.ofMaintenance(queue, recording.dataSource, schema);
      queue.admin().settings("default");
      queue.wakeUps().orElseThrow().subscribe().close();
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(
            fixture.inSchema("SELECT @enqueue('work', '{}', unique_key => 'k', delay => '1 min')"));
        statement.execute(
            fixture.inSchema("SELECT @enqueue('work', '{}', idempotency_key => 'i')"));
        statement.execute(fixture.inSchema("SELECT @create_partitions('1 day')"));
        statement.execute(fixture.inSchema("SELECT @schema_version()"));
      }

      assertThat(recording.failures).isEmpty();
      assertThat(
              EveryStatement.texts(schema).entrySet().stream()
                  .filter(
                      text ->
                          recording.prepared.stream()
                              .noneMatch(sql -> sql.contains(text.getValue().sql())))
                  .map(Map.Entry::getKey)
                  .collect(Collectors.toList()))
          .as("statements that were not run")
          .isEmpty();
    }
  }

  @Test
  void callersSearchPathIsRestored() throws SQLException {
    try (HikariDataSource pool = poolOn(IN_FRONT);
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      JobQueue.builder(pool)
          .schema(schema)
          .build()
          .in(connection)
          .enqueue(Fixture.WORK, new Fixture.Work(1));

      try (Statement statement = connection.createStatement();
          var row = statement.executeQuery("SHOW search_path")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo(IN_FRONT);
      }
      connection.rollback();
    }
  }

  /** If no shadow were called here, the tests above would prove nothing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1::numeric * 1",
        "SELECT 1::bigint * 1.0::float8",
        "SELECT array_agg('a'::text)",
        "SELECT max(n) FROM generate_series(1::int, 2) n",
        "SELECT obj_description(1::oid, 'pg_class')",
        "SELECT 'a'::varchar = 'a'::text"
      })
  void shadowsThatFitBetterAreCalledWhereNothingForbidsIt(String sql) throws SQLException {
    try (HikariDataSource pool = poolOn("shadows, public");
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(
              () -> {
                try (var row = statement.executeQuery(sql)) {
                  row.next();
                  assertThat(row.getString(1))
                      .as("the value is not of the type of the shadow")
                      .isEqualTo("(t)");
                }
              })
          .hasMessageContaining("shadow");
    }
  }

  private HikariDataSource poolOn(String searchPath) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(fixture.database.jdbcUrl());
    pool.setMaximumPoolSize(3);
    pool.setConnectionInitSql("SET search_path = " + searchPath);
    return pool;
  }
}
