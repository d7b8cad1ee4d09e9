package dev.skipjack.torture;

import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of a run, which is reached through a proxy that injects faults, or directly. */
final class TortureDatabase implements AutoCloseable {

  /** The schema that is created in the user's database. */
  static final String SCHEMA = "skipjack_torture";

  /** Creates the tables of producers, handlers and consumers. {@code @} stands for the schema. */
  static final List<String> TABLES =
      Stream.of(
              List.of(
                  "CREATE TABLE IF NOT EXISTS @torture_effects (key text NOT NULL, job_id bigint"
                      + " NOT NULL, execution_id bigint NOT NULL)",
                  InboxConsumer.TABLE),
              Change.TABLES,
              RowTable.TABLES,
              StepWork.TABLES)
          .flatMap(List::stream)
          .toList();

  private static final Duration RECOVERY = Duration.ofMinutes(1);

  private final @Nullable CrashingPostgres server;
  private final TcpProxy proxy;
  private final String jdbcUrl;
  private final DataSource direct;
  private final String schema;

  private TortureDatabase(
      @Nullable CrashingPostgres server,
      TcpProxy proxy,
      String jdbcUrl,
      DataSource direct,
      String schema) {
    this.server = server;
    this.proxy = proxy;
    this.jdbcUrl = jdbcUrl;
    this.direct = direct;
    this.schema = schema;
  }

  /** Starts an embedded server, or recreates the schema in the database of a URL. */
  static TortureDatabase open(Optional<String> url) throws SQLException {
    TortureDatabase database = url.isPresent() ? inUserDatabase(url.get()) : embedded();
    try {
      database.prepare(url.isPresent());
      return database;
    } catch (SQLException | RuntimeException failure) {
      database.close();
      throw failure;
    }
  }

  private static TortureDatabase embedded() {
    CrashingPostgres server = CrashingPostgres.create();
    return new TortureDatabase(
        server, server.proxy(), server.jdbcUrl(), server.direct(), server.schema());
  }

  private static TortureDatabase inUserDatabase(String url) {
    TcpProxy proxy = TcpProxy.before(url);
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setURL(url);
    return new TortureDatabase(null, proxy, proxy.url(url), direct, SCHEMA);
  }

  private void prepare(boolean fresh) throws SQLException {
    if (fresh) {
      execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
      Migrations.migrate(direct, schema);
    }
    for (String table : TABLES) {
      execute(table.replace("@", schema + "."));
    }
  }

  /** Adds the rows that workers take, if there are any. */
  void addRows(int rows, double seconds) throws SQLException {
    execute(RowTable.insert(rows, seconds).replace("@", schema + "."));
  }

  /** Returns the first value of a query, in which {@code @} stands for the schema. */
  String value(String sql) throws SQLException {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("@", schema + "."))) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the URL of the proxy, on which faults act. The URL may contain a password. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  String schema() {
    return schema;
  }

  /** Returns a queue on direct connections, which bypass the proxy. */
  JobQueue queue() {
    return JobQueue.builder(direct).schema(schema).build();
  }

  /** Returns a data source for direct connections, which bypass the proxy. */
  DataSource direct() {
    return direct;
  }

  TcpProxy proxy() {
    return proxy;
  }

  /** Returns the embedded server, or empty if the user named a database. */
  Optional<CrashingPostgres> server() {
    return Optional.ofNullable(server);
  }

  /**
   * Waits until the server accepts connections, which it refuses during recovery.
   *
   * @throws IllegalStateException if it does not accept any within a minute
   */
  void awaitServer() throws InterruptedException {
    long deadline = System.nanoTime() + RECOVERY.toNanos();
    while (true) {
      try {
        direct.getConnection().close();
        return;
      } catch (SQLException refused) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("The server accepted no session for a minute.", refused);
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  /** Stops the embedded server. In the user's database, the schema is kept for inspection. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    } else {
      proxy.close();
    }
  }
}
