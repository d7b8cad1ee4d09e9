package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WakeUpListenerTest {

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger subscribed = new AtomicInteger();
  private final AtomicInteger scheduleChanges = new AtomicInteger();
  private final AtomicInteger claims = new AtomicInteger();
  private final Wakeup claimLoop = new Wakeup();
  private final List<WakeUp> heard = new ArrayList<>();
  private boolean claimsHere = true;

  @Test
  void aSubscriptionThatBeginsAfterTheStopIsClosed() {
    WakeUpListener[] listener = new WakeUpListener[1];
    listener[0] =
        listener(
            () -> {
              listener[0].stop(); // as another thread would in the meantime
              return subscription(null);
            });

    assertThat(listener[0].run()).isZero();

    assertThat(subscribed).hasValue(1);
    assertThat(open).hasValue(0);
  }

  @Test
  void aSubscriptionThatBrokeIsClosedBeforeTheNext() {
    WakeUpListener listener = listener(() -> subscription("08006"));

    for (int tries = 1; tries <= 3; tries++) {
      assertThatThrownBy(listener::run).isInstanceOf(StoreException.class);
      assertThat(subscribed).hasValue(tries);
      assertThat(open).hasValue(0);
      assertThat(listener.asked())
          .isFalse(); // a failure does not show that the database is available
    }
  }

  @Test
  void ifListeningIsImpossibleNoConnectionIsHeldUntilTheNextTry() {
    WakeUpListener listener = listener(() -> subscription("0A000"));

    assertThat(listener.run()).isGreaterThan(Duration.ofMinutes(1).toNanos());

    assertThat(subscribed).hasValue(1);
    assertThat(open).hasValue(0);
  }

  /** Wake-ups that are sent while the worker is not listening are lost. */
  @Test
  void aSecondSubscriptionLooksForSchedulesThatChangedMeanwhile() {
    WakeUpListener listener = listener(() -> subscription(subscribed.get() == 0 ? "08006" : null));

    assertThatThrownBy(listener::run).isInstanceOf(StoreException.class);
    assertThat(scheduleChanges).as("the worker reads the schedules when it starts").hasValue(0);

    listener.run();
    assertThat(scheduleChanges).hasValue(1);
    listener.run();
    assertThat(scheduleChanges).hasValue(1);
  }

  @Test
  void theThreadThatReceivesAWakeUpClaimsTheJob() {
    WakeUpListener listener = subscribed();
    heard.add(new WakeUp(new Lane("q", 0), "k", null));
    heard.add(new WakeUp(new Lane("q", 1), "k", null));

    listener.run();

    assertThat(claims).hasValue(1);
    assertThat(claimLoop.awaitRaise(0)).isFalse();
  }

  @Test
  void theClaimLoopIsWokenIfItIsClaiming() {
    WakeUpListener listener = subscribed();
    heard.add(new WakeUp(new Lane("q", 0), "k", null));
    claimsHere = false;

    listener.run();

    assertThat(claimLoop.awaitRaise(0)).isTrue();
  }

  @Test
  void jobsOfOtherWorkersAreNotClaimed() {
    WakeUpListener listener = subscribed();
    heard.add(new WakeUp(new Lane("q", 0), "other", null));

    listener.run();

    assertThat(claims).hasValue(0);
    assertThat(claimLoop.awaitRaise(0)).isFalse();
  }

  private WakeUpListener subscribed() {
    WakeUpListener listener = listener(() -> subscription(null));
    listener.run();
    assertThat(claimLoop.awaitRaise(0)).as("wake-ups may have been missed").isTrue();
    return listener;
  }

  private WakeUpListener listener(WakeUps wakeUps) {
    return new WakeUpListener(
        wakeUps,
        Set.of("q"),
        Set.of("k"),
        new HeardLanes(claimLoop),
        () -> {
          claims.incrementAndGet();
          return claimsHere;
        },
        scheduleChanges::incrementAndGet,
        key -> {},
        new Reporter(List.of()));
  }

  /**
   * @param broken the SQLSTATE with which each wait fails; null if each wait returns nothing
   */
  private WakeUps.Subscription subscription(@Nullable String broken) {
    subscribed.incrementAndGet();
    open.incrementAndGet();
    return new WakeUps.Subscription() {
      @Override
      public List<WakeUp> await(Duration timeout) {
        if (broken != null) {
          throw new StoreException("broken", new SQLException("broken", broken));
        }
        return heard;
      }

      @Override
      public void recheck() {}

      @Override
      public void close() {
        open.decrementAndGet();
      }
    };
  }
}
