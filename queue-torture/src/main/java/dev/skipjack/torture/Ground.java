package dev.skipjack.torture;

import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.migrations.Migrations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The database under torture, and the two ways to it: one that faults strike, one that they do not.
 */
final class Ground implements AutoCloseable {

  /** The schema that is made in a database of somebody else. */
  static final String SCHEMA = "skipjack_torture";

  private static final Duration RECOVERY = Duration.ofMinutes(1);

  private final @Nullable CrashingPostgres server;
  private final TcpProxy proxy;
  private final String jdbcUrl;
  private final DataSource direct;
  private final String schema;

  private Ground(
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

  /** A server of our own, or a schema of our own in the database of a URL. */
  static Ground open(Optional<String> url) throws SQLException {
    Ground ground = url.isPresent() ? within(url.get()) : owned();
    try {
      ground.prepare(url.isPresent());
      return ground;
    } catch (SQLException | RuntimeException failure) {
      ground.close();
      throw failure;
    }
  }

  private static Ground owned() {
    CrashingPostgres server = CrashingPostgres.create();
    return new Ground(server, server.proxy(), server.jdbcUrl(), server.direct(), server.schema());
  }

  private static Ground within(String url) {
    TcpProxy proxy = TcpProxy.before(url);
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setURL(url);
    return new Ground(null, proxy, proxy.url(url), direct, SCHEMA);
  }

  private void prepare(boolean fresh) throws SQLException {
    if (fresh) {
      execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
      Migrations.migrate(direct, schema);
    }
    execute(
        "CREATE TABLE "
            + schema
            + ".torture_effects (key text NOT NULL, job_id bigint NOT NULL, execution_id bigint NOT NULL)");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The way that faults strike. May hold a password. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  String schema() {
    return schema;
  }

  /** The way that no fault strikes. */
  DataSource direct() {
    return direct;
  }

  TcpProxy proxy() {
    return proxy;
  }

  /** The server, if it is ours to crash. */
  Optional<CrashingPostgres> server() {
    return Optional.ofNullable(server);
  }

  /**
   * Waits until the server takes sessions: one that recovers refuses them for a while.
   *
   * @throws IllegalStateException if it does not
   */
  void awaitServer() throws InterruptedException {
    long deadline = System.nanoTime() + RECOVERY.toNanos();
    while (true) {
      try {
        direct.getConnection().close();
        return;
      } catch (SQLException refused) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("The server does not come back.", refused);
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  /** Leaves the schema in somebody else's database, for whoever wants to look. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    } else {
      proxy.close();
    }
  }
}
