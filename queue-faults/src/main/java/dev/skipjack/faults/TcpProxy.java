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
 * Stands between a client and a PostgreSQL server and does to their connections what networks do.
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
 * <p>Everything but {@link #cutBeforeCommit} and {@link #cutAfterCommit} works for any protocol;
 * those two read the client's stream, which must not be encrypted.
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
   * In front of a server.
   *
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
   * In front of the server that a JDBC URL names.
   *
   * @throws IllegalArgumentException if it names none, or several
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
      // Not repeated: it may hold a password.
      throw new IllegalArgumentException(
          "Not a JDBC URL of one host. Say jdbc:postgresql://host/db.");
    }
    return url;
  }

  /** The port that clients connect to, on 127.0.0.1. */
  public int port() {
    return listening.getLocalPort();
  }

  /** That URL, with host and port of this proxy. */
  public String url(String jdbcUrl) {
    Matcher url = parsed(jdbcUrl);
    return "jdbc:postgresql://"
        + listening.getInetAddress().getHostAddress()
        + ":"
        + port()
        + url.group("rest");
  }

  /** Sends new connections to another server, as a failover does; open ones stay where they are. */
  public void forwardTo(String host, int port) {
    target = new InetSocketAddress(host, port);
  }

  /**
   * Lets everything pass again, new connections included. Connections that have lost bytes to a
   * {@link #blackHole} stay dead and silent; announced cuts and latencies stay.
   */
  public void pass() {
    faults.blackHole(false);
    refusing = false;
  }

  /**
   * Swallows whatever is sent, both ways, and the end of a connection too, as a firewall that has
   * forgotten it: both sides wait, and the server keeps the session. New connections are taken and
   * never answered.
   */
  public void blackHole() {
    faults.blackHole(true);
  }

  /**
   * Does to the open connections what {@link #blackHole} does, for good; new ones pass. So a
   * firewall forgets connections that it has not seen for long.
   */
  public void forgetOpen() {
    connections.forEach(ProxiedConnection::swallow);
  }

  /** Resets the new connections, as a port where nobody listens; open ones stay. */
  public void refuseNew() {
    refusing = true;
  }

  /** Breaks all open connections by RST. New ones are taken as before. */
  public void reset() {
    connections.forEach(ProxiedConnection::reset);
  }

  /**
   * Keeps back everything that is sent for that long; zero to be quick again.
   *
   * @param toServer of what clients send
   * @param toClient of the answers
   */
  public void latency(Duration toServer, Duration toClient) {
    faults.latency(toServer, toClient);
  }

  /**
   * Resets the connections of the next commits before the server has them, so that it rolls back.
   *
   * @param times how many, in addition to those announced before; more than 0
   */
  public void cutBeforeCommit(int times) {
    faults.cutNext(CommitCut.BEFORE, times);
  }

  /**
   * Resets the connections of the next commits when the server answers, so that all is done and
   * nobody was told.
   *
   * @param times how many, in addition to those announced before; more than 0
   */
  public void cutAfterCommit(int times) {
    faults.cutNext(CommitCut.AFTER, times);
  }

  /** Forgets the cuts that were announced and have not struck yet. */
  public void clearCuts() {
    faults.clearCuts();
  }

  /** How many commits were cut so far, before or after the server had them. */
  public int cutCommits() {
    return faults.cutCommits();
  }

  /** How many connections are open here, half-open ones included. */
  public int open() {
    return connections.size();
  }

  /** How many connections were ever accepted, refused ones included. */
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

  /** Resets everything and gives the port free. Closing twice does nothing. */
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
