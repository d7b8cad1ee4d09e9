package dev.skipjack.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between clients and a PostgreSQL server that injects network faults into their
 * connections.
 *
 * <pre>{@code
 * try (TcpProxy proxy = TcpProxy.before(database.jdbcUrl())) {
 *   DataSource pool = pool(proxy.url(database.jdbcUrl()) + "&socketTimeout=2");
 *   proxy.blackHole(); // nothing arrives, nothing is closed
 *   ...
 *   proxy.pass();
 * }
 * }</pre>
 *
 * <p>All methods except {@link #cutBeforeCommit} and {@link #cutAfterCommit} work with any
 * protocol; those two read the client's stream, which must not be encrypted.
 *
 * <p>Listens on a free port of 127.0.0.1. Its threads are daemons. Safe for any number of threads.
 */
public final class TcpProxy implements AutoCloseable {

  private static final Pattern URL =
      Pattern.compile(
          "jdbc:postgresql://(?<host>\\[[^]]+]|[^/?,:\\[]+)(:(?<port>[0-9]{1,5}))?(?<rest>([/?].*)?)",
          Pattern.DOTALL);
  private static final int POSTGRES_PORT = 5432;

  private final ServerSocket listening;
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final ProxyFaults faults = new ProxyFaults();
  private volatile InetSocketAddress target;
  private volatile boolean refusing;

  private TcpProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::accept, "tcp-proxy-" + listening.getLocalPort());
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /**
   * Creates a proxy in front of a server.
   *
   * @param host the host of the server
   * @param port the port of the server
   * @return the proxy, which is open
   * @throws UncheckedIOException if this machine has no free port
   */
  public static TcpProxy before(String host, int port) {
    try {
      return new TcpProxy(new InetSocketAddress(host, port));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Creates a proxy in front of the server of a JDBC URL.
   *
   * @param jdbcUrl the JDBC URL
   * @return the proxy, which is open
   * @throws IllegalArgumentException if the URL has no host or more than one
   */
  public static TcpProxy before(String jdbcUrl) {
    Matcher url = parsed(jdbcUrl);
    return before(
        url.group("host"),
        url.group("port") == null ? POSTGRES_PORT : Integer.parseInt(url.group("port")));
  }

  private static Matcher parsed(String jdbcUrl) {
    Matcher url = URL.matcher(jdbcUrl);
    if (!url.matches()) {
      // The URL is not repeated, because it may contain a password.
      throw new IllegalArgumentException(
          "The JDBC URL does not name exactly one host. Use jdbc:postgresql://host/db.");
    }
    return url;
  }

  /** {@return the port on 127.0.0.1 to which clients connect} */
  public int port() {
    return listening.getLocalPort();
  }

  /**
   * {@return the URL with this proxy's host and port}
   *
   * @param jdbcUrl the JDBC URL
   */
  public String url(String jdbcUrl) {
    Matcher url = parsed(jdbcUrl);
    return "jdbc:postgresql://"
        + listening.getInetAddress().getHostAddress()
        + ":"
        + port()
        + url.group("rest");
  }

  /**
   * Directs new connections to another server, as in a failover. Open connections stay with the old
   * server.
   *
   * @param host the host of the server
   * @param port the port of the server
   */
  public void forwardTo(String host, int port) {
    target = new InetSocketAddress(host, port);
  }

  /**
   * Forwards everything again, including new connections. Connections that have lost bytes in a
   * {@link #blackHole} stay silent. Requested cuts and latencies remain in effect.
   */
  public void pass() {
    faults.blackHole(false);
    refusing = false;
  }

  /**
   * Discards everything that is sent in either direction, including the end of a connection, like a
   * firewall that has dropped its state: both sides wait, and the server keeps the session. New
   * connections are accepted, but get no response.
   */
  public void blackHole() {
    faults.blackHole(true);
  }

  /**
   * Discards everything that is sent on the open connections, permanently, like a firewall that has
   * dropped idle connections. New connections work.
   */
  public void forgetOpen() {
    connections.forEach(ProxiedConnection::swallow);
  }

  /** Resets new connections, like a port without a listener. Open connections stay open. */
  public void refuseNew() {
    refusing = true;
  }

  /** Breaks all open connections with RST. New ones are accepted as before. */
  public void reset() {
    connections.forEach(ProxiedConnection::reset);
  }

  /**
   * Delays everything that is sent; zero removes the delay.
   *
   * @param toServer delay of what clients send
   * @param toClient delay of the responses
   */
  public void latency(Duration toServer, Duration toClient) {
    faults.latency(toServer, toClient);
  }

  /**
   * Resets the connections of the next commits before the commits reach the server. The server
   * rolls back these transactions.
   *
   * @param times the number of commits, in addition to those requested by earlier calls; positive
   */
  public void cutBeforeCommit(int times) {
    faults.cutNext(CommitCut.BEFORE, times);
  }

  /**
   * Resets the connections of the next commits when the server responds. The transaction is
   * committed, but the client receives no acknowledgement.
   *
   * @param times the number of commits, in addition to those requested by earlier calls; positive
   */
  public void cutAfterCommit(int times) {
    faults.cutNext(CommitCut.AFTER, times);
  }

  /** Discards requested cuts that have not happened yet. */
  public void clearCuts() {
    faults.clearCuts();
  }

  /** {@return the number of commits cut so far, before or after they reached the server} */
  public int cutCommits() {
    return faults.cutCommits();
  }

  /** {@return the number of connections open at this proxy, including half-open ones} */
  public int open() {
    return connections.size();
  }

  /** {@return the number of connections ever accepted, including those that were reset at once} */
  public int accepted() {
    return accepted.get();
  }

  private void accept() {
    while (true) {
      Socket client;
      try {
        client = listening.accept();
      } catch (IOException closed) {
        return;
      }
      accepted.incrementAndGet();
      if (refusing || !serve(client, connect())) {
        ProxiedConnection.reset(client);
      }
    }
  }

  private @Nullable Socket connect() {
    Socket server = new Socket();
    try {
      server.setTcpNoDelay(true);
      InetSocketAddress now = target;
      server.connect(new InetSocketAddress(now.getHostString(), now.getPort()), 5_000);
      return server;
    } catch (IOException unreachable) {
      ProxiedConnection.reset(server);
      return null;
    }
  }

  private boolean serve(Socket client, @Nullable Socket server) {
    if (server == null) {
      return false;
    }
    ProxiedConnection connection =
        new ProxiedConnection(client, server, faults, connections::remove);
    connections.add(connection);
    connection.start();
    if (listening.isClosed()) {
      connection.reset();
    }
    return true;
  }

  /** Resets all connections and frees the port. Closing twice has no effect. */
  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException unneeded) {
      throw new UncheckedIOException(unneeded);
    } finally {
      reset();
    }
  }
}
