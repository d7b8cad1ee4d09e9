package dev.skipjack.faults;

import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A migrated PostgreSQL server for one test, which can be stopped, crashed and started again. Its
 * data survives a restart. Its URL stays the same, because clients reach it through a {@link
 * #proxy}, which can also inject network faults.
 *
 * <p>The server uses PostgreSQL's default durability settings, so acknowledged commits survive a
 * crash. Creating a server takes about three seconds; use one for a whole test class.
 *
 * <p>Use it from one thread at a time; the proxy is safe for any number of threads.
 */
public final class CrashingPostgres implements AutoCloseable {

  private static final String DATABASE = "postgres";

  private final TcpProxy proxy;
  private final TcpProxy bypass;
  private final EmbeddedPostgres server;
  private boolean running = true;

  private CrashingPostgres(EmbeddedPostgres server) {
    this.server = server;
    this.proxy = TcpProxy.before("127.0.0.1", server.port());
    this.bypass = TcpProxy.before("127.0.0.1", server.port());
  }

  /**
   * Starts a server that contains only the queue's tables.
   *
   * @return the server
   */
  public static CrashingPostgres create() {
    CrashingPostgres postgres = new CrashingPostgres(launch());
    try {
      Migrations.migrate(postgres.direct(), postgres.schema());
      return postgres;
    } catch (RuntimeException failure) {
      postgres.close();
      throw failure;
    }
  }

  private static EmbeddedPostgres launch() {
    return EmbeddedPostgres.builder()
        .purpose("faults")
        .setting("max_connections", "100")
        .fresh(true)
        .start();
  }

  /**
   * {@return the URL through the proxy, with user and password as parameters: keep it out of logs}
   */
  public String jdbcUrl() {
    return proxy.url(server.jdbcUrl(DATABASE));
  }

  /** {@return the proxy to which {@link #jdbcUrl()} points} */
  public TcpProxy proxy() {
    return proxy;
  }

  /** {@return the schema of the queue's tables} */
  public String schema() {
    return Migrations.DEFAULT_SCHEMA;
  }

  /**
   * {@return an unpooled data source for the test's own queries} Its connections bypass the proxy
   * and its faults.
   */
  public DataSource direct() {
    PGSimpleDataSource direct = new PGSimpleDataSource();
    direct.setURL(bypass.url(server.jdbcUrl(DATABASE)));
    return direct;
  }

  /**
   * Shuts the server down in an orderly way: it notifies and terminates its sessions. Returns when
   * the server is down.
   */
  public void stop() {
    running = false;
    server.pause();
  }

  /**
   * Shuts the server down abruptly, like {@code pg_ctl stop -m immediate}. The next start performs
   * crash recovery.
   */
  public void crash() {
    signal("QUIT", server.postmasterPid());
    stop();
  }

  /**
   * Kills the postmaster, as the kernel may do when memory runs out. The other server processes
   * then exit on their own.
   */
  public void kill() {
    signal("KILL", server.postmasterPid());
    stop();
  }

  /**
   * Kills the process of one session. The server then resets all sessions and recovers on its own.
   *
   * @param pid the process id that {@code pg_stat_activity} shows
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

  /** Starts the server again, with its data; returns when it accepts connections. */
  public void start() {
    if (!running) {
      server.resume();
      running = true;
      proxy.forwardTo("127.0.0.1", server.port());
      bypass.forwardTo("127.0.0.1", server.port());
    }
  }

  /** Stops the server permanently. */
  @Override
  public void close() {
    proxy.close();
    bypass.close();
    server.close();
  }
}
