package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.store.jooq.spi.OwnConnections;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** LISTEN on a connection that a subscription holds. */
final class PostgresWakeUps implements WakeUps {

  private static final Logger LOG = LoggerFactory.getLogger(PostgresWakeUps.class);

  /** How long a session may be silent before it is asked whether it still hears. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Duration PROBE_LIMIT = Duration.ofSeconds(3);
  private static final String PROBE = "probe ";
  private static final String CANNOT_LISTEN = "0A000";
  private static final String BROKEN = "08006";

  /** The last words to a session that may be half-open. */
  private static final int GOODBYE_MILLIS = 1_000;

  private final DataSource dataSource;
  private final WakeUpChannel channel;
  private final long silence;

  PostgresWakeUps(DataSource dataSource, WakeUpChannel channel) {
    this(dataSource, channel, SILENCE);
  }

  /**
   * @param silence after which a session is asked whether it still hears
   */
  PostgresWakeUps(DataSource dataSource, WakeUpChannel channel, Duration silence) {
    this.dataSource = dataSource;
    this.channel = channel;
    this.silence = silence.toNanos();
  }

  @Override
  public Subscription subscribe() {
    Connection connection = null;
    try {
      connection = OwnConnections.borrow(dataSource);
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN " + channel.name());
      }
      Listening listening = new Listening(connection);
      listening.requireHearing();
      return listening;
    } catch (SQLException | RuntimeException failure) {
      close(connection, failure);
      throw failure instanceof SQLException refused
          ? OwnTransactions.refused(refused)
          : (RuntimeException) failure;
    }
  }

  private static void close(@Nullable Connection connection, Exception why) {
    try {
      if (connection != null) {
        try (connection;
            Statement statement = connection.createStatement()) {
          // It goes back into its pool, where nobody would read what it hears.
          int networkTimeout = connection.getNetworkTimeout();
          connection.setNetworkTimeout(Runnable::run, GOODBYE_MILLIS);
          statement.execute("UNLISTEN *");
          connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
      }
    } catch (SQLException broken) {
      why.addSuppressed(broken);
    }
  }

  /** A session that listens. */
  private final class Listening implements Subscription {

    private final Connection connection;
    private final PGConnection session;
    private final int networkTimeout;
    private long heardAt = System.nanoTime();
    private boolean closed;

    Listening(Connection connection) throws SQLException {
      this.connection = connection;
      this.networkTimeout = connection.getNetworkTimeout();
      this.session = connection.unwrap(PGConnection.class);
    }

    /** A session that never heard anything never will. */
    void requireHearing() throws SQLException {
      if (!probe(new ArrayList<>())) {
        throw new SQLException(
            "LISTEN hears nothing: a probe did not come back within %s. Behind a pooler in transaction mode give the queue a direct connection to listen on, or switch wake-ups off."
                .formatted(PROBE_LIMIT),
            CANNOT_LISTEN);
      }
    }

    /**
     * Whether what another session sends comes in here.
     *
     * @param others takes what else came in meanwhile
     */
    private boolean probe(List<WakeUp> others) throws SQLException {
      String token = PROBE + UUID.randomUUID();
      try (Connection other = OwnConnections.borrow(dataSource);
          PreparedStatement send =
              other.prepareStatement("SELECT pg_catalog.pg_notify(?::text, ?::text)")) {
        send.setString(1, channel.name());
        send.setString(2, token);
        send.execute();
        if (!other.getAutoCommit()) {
          other.commit();
        }
      }
      long deadline = System.nanoTime() + PROBE_LIMIT.toNanos();
      while (System.nanoTime() - deadline < 0) {
        boolean back = false;
        for (PGNotification heard : heard(100)) {
          back |= token.equals(heard.getParameter());
          channel.read(heard.getParameter()).ifPresent(others::add);
        }
        if (back) {
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
        List<WakeUp> wakeUps = new ArrayList<>();
        for (PGNotification heard : heard((int) Math.max(1, timeout.toMillis()))) {
          channel.read(heard.getParameter()).ifPresent(wakeUps::add);
        }
        if (System.nanoTime() - heardAt > silence && !probe(wakeUps)) {
          // It has heard before, so it is the connection that is gone, and another may be had.
          throw new SQLException("A listening session hears nothing any more.", BROKEN);
        }
        return wakeUps;
      } catch (SQLException broken) {
        throw OwnTransactions.refused(broken);
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

    /** The session goes back into its pool, so it must not listen any more. */
    @Override
    public synchronized void close() {
      if (closed) {
        return;
      }
      closed = true;
      try (Connection last = connection;
          Statement statement = last.createStatement()) {
        last.setNetworkTimeout(Runnable::run, GOODBYE_MILLIS);
        statement.execute("UNLISTEN *");
        last.setNetworkTimeout(Runnable::run, networkTimeout);
      } catch (SQLException broken) {
        LOG.debug("Listening session was broken when it was closed", broken);
      }
    }
  }
}
