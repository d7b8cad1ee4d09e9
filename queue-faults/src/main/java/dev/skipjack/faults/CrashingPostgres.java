package dev.skipjack.faults;

import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A migrated PostgreSQL server of the test's own, to be stopped, crashed and started again. Its
 * data stays, and its URL too: clients reach it through a {@link #proxy}, which can harm them in
 * other ways as well.
 *
 * <p>Starts with PostgreSQL's own settings, so that what it has acknowledged it keeps. Takes some
 * three seconds to make; one serves a whole test class.
 *
 * <p>Belongs to one thread at a time; the proxy to any.
 */
public final class CrashingPostgres implements AutoCloseable {

  private static final String DATABASE = "postgres";

  private final TcpProxy proxy;
  private final TcpProxy bypass;
  private EmbeddedPostgres server;
  private boolean running = true;

  private CrashingPostgres(EmbeddedPostgres server) {
    this.server = server;
    this.proxy = TcpProxy.before("127.0.0.1", server.port());
    this.bypass = TcpProxy.before("127.0.0.1", server.port());
  }

  /** Starts one, empty but for the queue's tables. */
  public static CrashingPostgres create() {
    CrashingPostgres postgres = new CrashingPostgres(launch(true));
    try {
      Migrations.migrate(postgres.direct(), postgres.schema());
      return postgres;
    } catch (RuntimeException failure) {
      postgres.close();
      throw failure;
    }
  }

  private static EmbeddedPostgres launch(boolean fresh) {
    return EmbeddedPostgres.builder()
        .purpose("faults")
        .setting("max_connections", "100")
        .fresh(fresh)
        .start();
  }

  /** The URL through the proxy, with user and password as parameters: keep it out of logs. */
  public String jdbcUrl() {
    return proxy.url(server.jdbcUrl(DATABASE));
  }

  /** The way there. */
  public TcpProxy proxy() {
    return proxy;
  }

  /** The schema that the queue's tables are in. */
  public String schema() {
    return Migrations.DEFAULT_SCHEMA;
  }

  /** Single connections on another way, for the test itself: no fault of the proxy is met there. */
  public DataSource direct() {
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setURL(bypass.url(server.jdbcUrl(DATABASE)));
    return direct;
  }

  /** Shuts it down in order: sessions are told and cut off. Returns when it is down. */
  public void stop() {
    running = false;
    server.close();
  }

  /** Shuts it down without order, as {@code pg_ctl stop -m immediate}: the next start recovers. */
  public void crash() {
    signal("QUIT", server.postmasterPid());
    stop();
  }

  /**
   * Kills the server's first process, as running out of memory may; the others leave by themselves.
   */
  public void kill() {
    signal("KILL", server.postmasterPid());
    stop();
  }

  /**
   * Kills the process of one session. The server then resets all of them and recovers by itself.
   *
   * @param pid as in {@code pg_stat_activity}
   */
  public void killBackend(int pid) {
    signal("KILL", pid);
  }

  private static void signal(String name, long pid) {
    try {
      new ProcessBuilder(List.of("kill", "-" + name, String.valueOf(pid))).start().waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Brings it up again, with its data; returns when it takes connections. */
  public void start() {
    if (!running) {
      server = launch(false);
      running = true;
      proxy.forwardTo("127.0.0.1", server.port());
      bypass.forwardTo("127.0.0.1", server.port());
    }
  }

  /** Ends it for good. */
  @Override
  public void close() {
    proxy.close();
    bypass.close();
    stop();
  }
}
