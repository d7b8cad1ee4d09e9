package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
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
  private static final long SILENCE = Duration.ofSeconds(30).toNanos();

  private static final Duration PROBE_LIMIT = Duration.ofSeconds(3);
  private static final String PROBE = "probe ";
  private static final String CANNOT_LISTEN = "0A000";

  private final DataSource dataSource;
  private final WakeUpChannel channel;

  PostgresWakeUps(DataSource dataSource, WakeUpChannel channel) {
    this.dataSource = dataSource;
    this.channel = channel;
  }

  @Override
  public Subscription subscribe() {
    Connection connection = null;
    try {
      connection = dataSource.getConnection();
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN " + channel.name());
      }
      Listening listening = new Listening(connection);
      listening.probe();
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
        connection.close();
      }
    } catch (SQLException broken) {
      why.addSuppressed(broken);
    }
  }

  /** A session that listens. */
  private final class Listening implements Subscription {

    private final Connection connection;
    private final PGConnection session;
    private long heardAt = System.nanoTime();
    private boolean closed;

    Listening(Connection connection) throws SQLException {
      this.connection = connection;
      this.session = connection.unwrap(PGConnection.class);
    }

    /** What another session sends must come in here. Answers what else came in meanwhile. */
    List<WakeUp> probe() throws SQLException {
      String token = PROBE + UUID.randomUUID();
      try (Connection other = dataSource.getConnection();
          PreparedStatement send =
              other.prepareStatement("SELECT pg_catalog.pg_notify(?::text, ?::text)")) {
        send.setString(1, channel.name());
        send.setString(2, token);
        send.execute();
        if (!other.getAutoCommit()) {
          other.commit();
        }
      }
      List<WakeUp> others = new ArrayList<>();
      boolean back = false;
      long deadline = System.nanoTime() + PROBE_LIMIT.toNanos();
      while (!back && System.nanoTime() - deadline < 0) {
        for (PGNotification heard : heard(100)) {
          back |= token.equals(heard.getParameter());
          channel.read(heard.getParameter()).ifPresent(others::add);
        }
      }
      if (back) {
        return others;
      }
      throw new SQLException(
          "LISTEN hears nothing: a probe did not come back within %s. Behind a pooler in transaction mode give the queue a direct connection to listen on, or switch wake-ups off."
              .formatted(PROBE_LIMIT),
          CANNOT_LISTEN);
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
        if (System.nanoTime() - heardAt > SILENCE) {
          wakeUps.addAll(probe());
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
        statement.execute("UNLISTEN *");
      } catch (SQLException broken) {
        LOG.debug("Listening session was broken when it was closed", broken);
      }
    }
  }
}
