package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.sql.OwnConnections;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.ReadOnlyServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives wake-ups with LISTEN. Each subscription holds one connection. */
final class PostgresWakeUps implements WakeUps {

  private static final Logger LOG = LoggerFactory.getLogger(PostgresWakeUps.class);

  /** How long a session may receive nothing before it is probed. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Duration PROBE_LIMIT = Duration.ofSeconds(3);

  /**
   * The maximum number of wake-ups returned at once. The others are dropped, because any role that
   * can connect can send any number of them. Polling finds the jobs.
   */
  private static final int MOST = 1_000;

  private static final String PROBE = "probe ";
  private static final String CANNOT_LISTEN = "0A000";
  private static final String BROKEN = "08006";

  /** The time limit for UNLISTEN on a session that may be half-open, in milliseconds. */
  private static final int GOODBYE_MILLIS = 1_000;

  private final OwnConnections connections;
  private final WakeUpChannel channel;
  private final long silence;

  /**
   * Whether a session has received another session's probe, which rules out a pooler in transaction
   * mode.
   */
  private volatile boolean hears;

  PostgresWakeUps(DataSource dataSource, WakeUpChannel channel) {
    this(dataSource, channel, SILENCE);
  }

  /**
   * @param silence how long a session may receive nothing before it is probed
   */
  PostgresWakeUps(DataSource dataSource, WakeUpChannel channel, Duration silence) {
    this.connections = new OwnConnections(dataSource);
    this.channel = channel;
    this.silence = silence.toNanos();
  }

  @Override
  public Subscription subscribe() {
    Connection connection = null;
    Runnable restorePeek = () -> {};
    try {
      connection = connections.borrow();
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN " + channel.name());
      }
      PGConnection session = session(connection);
      restorePeek = NotificationPeek.skip(session);
      Listening listening = new Listening(connection, session, restorePeek);
      listening.requireHearing();
      return listening;
    } catch (SQLException refused) {
      restorePeek.run();
      close(connection, refused);
      throw OwnTransactions.refused(refused);
    } catch (Throwable failure) {
      restorePeek.run();
      close(connection, failure);
      throw failure;
    }
  }

  /** Returns the driver's own connection, because only it provides notifications. */
  private static PGConnection session(Connection connection) throws SQLException {
    try {
      return connection.unwrap(PGConnection.class);
    } catch (SQLException wrapped) {
      throw new SQLException(
          "Connections of class %s do not unwrap to org.postgresql.PGConnection, so notifications cannot be read. Give the queue a data source whose connections unwrap to it, or disable wake-ups."
              .formatted(connection.getClass().getName()),
          CANNOT_LISTEN,
          wrapped);
    }
  }

  private static void close(@Nullable Connection connection, Throwable why) {
    try {
      if (connection != null) {
        try (connection) {
          if (!ReadOnlyServer.abandon(connection, why)) {
            unlisten(connection, connection.getNetworkTimeout());
          }
        }
      }
    } catch (SQLException broken) {
      why.addSuppressed(broken);
    }
  }

  /**
   * Stops listening, because nothing reads notifications once the connection is back in its pool.
   */
  private static void unlisten(Connection connection, int networkTimeout) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      connection.setNetworkTimeout(Runnable::run, GOODBYE_MILLIS);
      statement.execute("UNLISTEN *");
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
    }
  }

  /** A session that listens. */
  private final class Listening implements Subscription {

    private final Connection connection;
    private final PGConnection session;
    private final Runnable restorePeek;
    private final int networkTimeout;
    private long heardAt = System.nanoTime();
    private volatile boolean doubted;
    private @Nullable SQLException broken;
    private boolean closed;

    Listening(Connection connection, PGConnection session, Runnable restorePeek)
        throws SQLException {
      this.connection = connection;
      this.networkTimeout = connection.getNetworkTimeout();
      this.session = session;
      this.restorePeek = restorePeek;
    }

    /**
     * Throws an exception if the session does not receive a probe from another session, because it
     * would not receive wake-ups either.
     */
    void requireHearing() throws SQLException {
      if (hears) {
        // The pool may not have a second connection for another probe.
        ReadOnlyServer.requireWritable(connection);
        return;
      }
      try (Connection other = connections.borrow()) {
        if (!hearsProbe(other)) {
          throw new SQLException(
              "LISTEN receives nothing: a probe did not arrive within %s. Behind a pooler in transaction mode, give the queue a direct connection to listen on, or disable wake-ups."
                  .formatted(PROBE_LIMIT),
              CANNOT_LISTEN);
        }
      }
      hears = true;
    }

    private boolean hearsProbe(Connection other) throws SQLException {
      try {
        return hearsProbeOf(other, new LinkedHashSet<>());
      } catch (SQLException failure) {
        ReadOnlyServer.abandon(other, failure);
        throw failure;
      }
    }

    /**
     * Returns whether this session receives a probe that {@code sender} sends.
     *
     * @param others receives the wake-ups that arrive in the meantime
     * @throws SQLException if a connection fails, or the server is read-only
     */
    private boolean hearsProbeOf(Connection sender, Set<WakeUp> others) throws SQLException {
      String token = PROBE + UUID.randomUUID();
      try (PreparedStatement send =
          sender.prepareStatement(
              "SELECT pg_catalog.pg_notify(?::pg_catalog.text, ?::pg_catalog.text), pg_catalog.current_setting('transaction_read_only')")) {
        send.setString(1, channel.name());
        send.setString(2, token);
        try (ResultSet sent = send.executeQuery()) {
          sent.next();
          ReadOnlyServer.requireOff(sent.getString(2));
        }
        if (!sender.getAutoCommit()) {
          sender.commit();
        }
      }
      long deadline = System.nanoTime() + PROBE_LIMIT.toNanos();
      while (System.nanoTime() - deadline < 0) {
        List<PGNotification> heard = heard(100);
        read(heard, others);
        if (heard.stream().anyMatch(one -> token.equals(one.getParameter()))) {
          return true;
        }
      }
      return false;
    }

    @Override
    public synchronized List<WakeUp> await(Duration timeout) {
      if (closed) {
        return List.of();
      }
      try {
        Set<WakeUp> wakeUps = new LinkedHashSet<>();
        read(heard((int) Math.max(1, timeout.toMillis())), wakeUps);
        if (doubted || System.nanoTime() - heardAt > silence) {
          requireAlive(wakeUps);
        }
        return List.copyOf(wakeUps);
      } catch (SQLException failure) {
        broken = failure;
        throw OwnTransactions.refused(failure);
      }
    }

    /**
     * Checks that the session is alive with a probe that it sends to itself, because the pool may
     * not have a second connection.
     */
    private void requireAlive(Set<WakeUp> others) throws SQLException {
      connection.setNetworkTimeout(Runnable::run, (int) PROBE_LIMIT.toMillis());
      if (!hearsProbeOf(connection, others)) {
        // The session received notifications before, so a new connection may work.
        throw new SQLException("The listening session no longer receives notifications.", BROKEN);
      }
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
      doubted = false;
    }

    @Override
    public void recheck() {
      doubted = true;
    }

    private void read(List<PGNotification> heard, Set<WakeUp> wakeUps) {
      for (PGNotification notification : heard) {
        if (wakeUps.size() < MOST) {
          channel.read(notification.getParameter()).ifPresent(wakeUps::add);
        }
      }
    }

    private List<PGNotification> heard(int millis) throws SQLException {
      PGNotification[] heard = session.getNotifications(millis);
      if (heard == null || heard.length == 0) {
        return List.of();
      }
      heardAt = System.nanoTime();
      return Arrays.asList(heard);
    }

    /** Stops listening, because the connection returns to its pool. */
    @Override
    public synchronized void close() {
      if (closed) {
        return;
      }
      closed = true;
      restorePeek.run();
      try (Connection last = connection) {
        if (broken == null || !ReadOnlyServer.abandon(last, broken)) {
          unlisten(last, networkTimeout);
        }
      } catch (SQLException failure) {
        LOG.debug("Listening session was broken when it was closed", failure);
      }
    }
  }
}
