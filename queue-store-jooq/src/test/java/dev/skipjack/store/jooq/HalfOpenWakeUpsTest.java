package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests a listening connection that a device between client and server has dropped without notice.
 * The connection has no socketTimeout.
 */
@QueueTest
@Timeout(60)
class HalfOpenWakeUpsTest {

  private static final Duration SOON = Duration.ofMillis(50);

  private final TcpProxy proxy;
  private final PostgresWakeUps wakeUps;

  HalfOpenWakeUpsTest(QueueDatabase database) {
    proxy = TcpProxy.before(database.jdbcUrl());
    PGSimpleDataSource single = new PGSimpleDataSource();
    single.setURL(proxy.url(database.jdbcUrl()));
    wakeUps = new PostgresWakeUps(single, new WakeUpChannel(database.schema()), SOON);
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  @Test
  void halfOpenSubscriptionIsReportedAsBroken() {
    try (Subscription forgotten = wakeUps.subscribe()) {
      proxy.forgetOpen();
      assertThatThrownBy(() -> awaitLongSilence(forgotten))
          .isInstanceOfSatisfying(
              StoreException.class,
              // This is not the error of a pooler, for which an early retry is useless.
              broken -> assertThat(broken.sqlState()).contains("08006"));
    }
    wakeUps.subscribe().close();
  }

  @Test
  void halfOpenSubscriptionIsClosedWithoutWaitingForAResponse() {
    Subscription forgotten = wakeUps.subscribe();
    proxy.forgetOpen();
    forgotten.close(); // would hang until the class's timeout
    assertThat(forgotten.await(SOON)).isEmpty();
  }

  private static void awaitLongSilence(Subscription subscription) {
    while (true) {
      subscription.await(SOON);
    }
  }
}
