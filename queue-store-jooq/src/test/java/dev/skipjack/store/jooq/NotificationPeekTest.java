package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

@QueueTest
class NotificationPeekTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final WakeUp OF_WORK = new WakeUp(new Lane("default", 0), "work");
  private static final int MANY = 10_000;

  private final QueueDatabase database;

  NotificationPeekTest(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void countAnew() {
    CountingSockets.peeks.set(0);
  }

  /** The test's socket detects the driver's peek, which is a read with a timeout of 1 ms. */
  @Nested
  class OfASubscription {

    @Test
    void peekIsSkippedWhileTheSubscriptionListens() {
      Fixture fixture = new Fixture(database);
      try (HikariDataSource pool = countingPool(2);
          Subscription subscription = wakeUps(pool).subscribe()) {
        // Uses several queues, because a second wake-up of a queue within some milliseconds would
        // not be sent.
        for (String queue : List.of("one", "two", "three")) {
          fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.onQueue(queue));
          assertThat(subscription.await(PATIENCE))
              .containsExactly(new WakeUp(new Lane(queue, 0), "work"));
        }
        assertThat(CountingSockets.peeks).hasValue(0);
      }
    }

    @Test
    void peekIsRestoredWhenTheConnectionReturnsToItsPool() throws SQLException {
      try (HikariDataSource pool = countingPool(2)) {
        wakeUps(pool).subscribe().close();

        try (Connection one = pool.getConnection();
            Connection other = pool.getConnection()) {
          one.unwrap(PGConnection.class).getNotifications();
          other.unwrap(PGConnection.class).getNotifications();
        }
        assertThat(CountingSockets.peeks).hasValue(2);
      }
    }

    @Test
    void peekIsRestoredAfterAFailedSubscription() throws SQLException {
      try (HikariDataSource pool = countingPool(1)) {
        // The pool has no second connection for the probe.
        assertThatThrownBy(wakeUps(pool)::subscribe).isInstanceOf(StoreException.class);

        try (Connection only = pool.getConnection()) {
          only.unwrap(PGConnection.class).getNotifications();
        }
        assertThat(CountingSockets.peeks).hasValue(1);
      }
    }

    @Test
    void peekIsUnchangedWithAnotherDriver() {
      Fixture fixture = new Fixture(database);
      try (HikariDataSource pool = countingPool(2);
          Subscription subscription = wakeUps(withoutCore(pool)).subscribe()) {
        fixture.enqueue(1);

        assertThat(subscription.await(PATIENCE)).containsExactly(OF_WORK);
        assertThat(CountingSockets.peeks).hasPositiveValue();
      }
    }

    private PostgresWakeUps wakeUps(DataSource dataSource) {
      return new PostgresWakeUps(dataSource, new WakeUpChannel(database.schema()));
    }

    private HikariDataSource countingPool(int size) {
      PGSimpleDataSource driver = new PGSimpleDataSource();
      driver.setURL(database.jdbcUrl());
      driver.setSocketFactory(CountingSockets.class.getName());
      HikariDataSource pool = new HikariDataSource();
      pool.setDataSource(driver);
      pool.setMaximumPoolSize(size);
      pool.setConnectionTimeout(size == 1 ? 250 : PATIENCE.toMillis());
      return pool;
    }
  }

  @Nested
  class WhenSkipped {

    @Test
    void skippedPeekLosesNoneOfManyNotifications() throws Exception {
      PGSimpleDataSource plain = new PGSimpleDataSource();
      plain.setURL(database.jdbcUrl());
      assertAllAreHeard(plain);
    }

    /** Over TLS, the driver cannot detect bytes that have arrived but are still encrypted. */
    @Test
    void skippedPeekLosesNoneOfManyNotificationsOverTls(@TempDir Path folder) throws Exception {
      try (TlsDoor door = new TlsDoor(database.jdbcUrl(), folder)) {
        assertAllAreHeard(door.dataSource());
      }
    }

    private void assertAllAreHeard(DataSource dataSource) throws SQLException {
      try (Connection listener = dataSource.getConnection();
          Statement listen = listener.createStatement()) {
        listen.execute("LISTEN many");
        PGConnection session = listener.unwrap(PGConnection.class);
        NotificationPeek.skip(session);
        CompletableFuture<Void> sent = CompletableFuture.runAsync(this::sendMany);
        List<String> heard = new ArrayList<>();
        while (heard.size() < MANY) {
          PGNotification[] some = session.getNotifications((int) PATIENCE.toMillis());
          assertThat(some).isNotEmpty();
          for (PGNotification one : some) {
            heard.add(one.getParameter().strip());
          }
        }
        sent.join();
        assertThat(heard)
            .containsExactlyElementsOf(IntStream.range(0, MANY).mapToObj(String::valueOf).toList());
      }
    }

    /**
     * Sends the notifications in transactions of one or a hundred, which fill part of a buffer or
     * several buffers.
     */
    private void sendMany() {
      try (Connection sender = database.connection();
          PreparedStatement send =
              sender.prepareStatement(
                  "SELECT pg_notify('many', rpad(n::text, 400)) FROM generate_series(?, ?) AS n")) {
        int next = 0;
        for (int round = 0; next < MANY; round++) {
          int last = Math.min(MANY, next + (round % 2 == 0 ? 1 : 100)) - 1;
          send.setInt(1, next);
          send.setInt(2, last);
          send.execute();
          next = last + 1;
        }
      } catch (SQLException broken) {
        throw new CompletionException(broken);
      }
    }
  }

  @Nested
  class InTheDriversFields {

    @Test
    void fieldHasTheDriversOwnTimeAgainWhenRestored() throws ReflectiveOperationException {
      Known executor = new Known();

      Runnable restore = NotificationPeek.skipIn(executor);
      assertThat(executor.stream().nextStreamAvailableCheckTime).isEqualTo(Long.MAX_VALUE);

      restore.run();
      assertThat(executor.stream().nextStreamAvailableCheckTime).isEqualTo(7);
    }

    static List<Object> unknownDrivers() {
      return List.of(
          new Object(),
          new StreamOf(new Object()),
          new StreamOf(new AtomicTime(new AtomicLong())),
          new StreamOf(new FinalTime(7)));
    }

    @ParameterizedTest
    @MethodSource("unknownDrivers")
    void fieldIsNotFoundInADriverThatHasChanged(Object executor) {
      assertThatThrownBy(() -> NotificationPeek.skipIn(executor))
          .isInstanceOfAny(ReflectiveOperationException.class, RuntimeException.class);
    }
  }

  private static class StreamOf {
    final Object pgStream;

    StreamOf(Object stream) {
      this.pgStream = stream;
    }
  }

  private static final class Known extends StreamOf {
    Known() {
      super(new Time());
    }

    Time stream() {
      return (Time) pgStream;
    }
  }

  private static final class Time {
    private long nextStreamAvailableCheckTime = 7;
  }

  private record AtomicTime(AtomicLong nextStreamAvailableCheckTime) {}

  private record FinalTime(long nextStreamAvailableCheckTime) {}

  /**
   * Returns a data source whose connections unwrap to a session with only the driver's public
   * interface.
   */
  private static DataSource withoutCore(DataSource pool) {
    return JdbcProxy.of(
        DataSource.class,
        (method, args) -> {
          Object result = method.invoke(pool, args);
          return result instanceof Connection connection ? withoutCore(connection) : result;
        });
  }

  private static Connection withoutCore(Connection connection) {
    return JdbcProxy.of(
        Connection.class,
        (method, args) -> {
          Object result = method.invoke(connection, args);
          return method.getName().equals("unwrap") && args[0] == PGConnection.class
              ? JdbcProxy.of(PGConnection.class, (call, given) -> call.invoke(result, given))
              : result;
        });
  }

  /** Sockets that count the driver's reads of 1 ms. */
  public static final class CountingSockets extends SocketFactory {

    static final AtomicInteger peeks = new AtomicInteger();

    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
          if (millis == 1) {
            peeks.incrementAndGet();
          }
          super.setSoTimeout(millis);
        }
      };
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      throw new UnsupportedOperationException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException("The driver connects sockets itself");
    }
  }
}
