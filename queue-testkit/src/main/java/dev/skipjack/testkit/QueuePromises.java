package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LANE;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The settings of a queue are stored and take effect, and its jobs can be paused. */
abstract class QueuePromises extends Promises {

  @Test
  void aPausedQueueShowsNoLanesUntilItIsResumed() {
    fixture.enqueueMany(2);
    fixture.enqueue(3, job -> job.onQueue("other"));
    Execution running = fixture.claimOne(LEASE);
    admin.pause("default");
    admin.pause("default");

    assertThat(fixture.dueLanes("default", "other")).containsExactly(new Lane("other", 0));
    assertThat(store.dueLanes(List.of("default", "other")).paused()).containsExactly("default");
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(true);
    assertThat(store.complete(List.of(running))).containsExactly(Verdict.DONE);

    admin.resume("default");

    assertThat(fixture.dueLanes("default")).containsExactly(LANE);
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(false);
  }

  @Test
  void noClaimReturnsJobsOfAPausedQueue() {
    fixture.enqueue(1);
    admin.pause("default");

    assertThat(fixture.claim(1)).isEmpty();

    admin.resume("default");
    assertThat(fixture.claim(1)).hasSize(1);
  }

  @Test
  void aPauseOfLimitedTimeEndsByItself() {
    fixture.enqueue(1);
    admin.pause("default", Duration.ofHours(1));

    fixture.database.timeTravel(Duration.ofMinutes(50));
    assertThat(fixture.dueLanes("default")).isEmpty();
    assertThat(store.dueLanes(List.of("default")).paused()).containsExactly("default");
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(true);

    fixture.database.timeTravel(Duration.ofMinutes(10));
    assertThat(fixture.dueLanes("default")).containsExactly(LANE);
    assertThat(store.dueLanes(List.of("default")).paused()).isEmpty();
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(false);
    assertThat(reader.queues().get(0).pausedUntil()).isNull();
    assertThat(fixture.claim(1)).hasSize(1);

    admin.pause("default");
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(true);
    assertThat(reader.queues().get(0).pausedUntil()).isNull();
  }

  @Test
  void theLongerPauseHoldsInEitherOrder() {
    fixture.enqueue(1);
    admin.pause("default", Duration.ofHours(2));
    QueueState longer = reader.queues().get(0);
    admin.pause("default", Duration.ofMillis(1));

    assertThat(reader.queues()).containsExactly(longer);
    assertThat(Duration.between(longer.pausedAt(), longer.pausedUntil()))
        .isCloseTo(Duration.ofHours(2), Duration.ofSeconds(10));
    assertThat(fixture.dueLanes("default")).isEmpty();
    assertThat(fixture.claim(1)).isEmpty();

    admin.pause("default", Duration.ofHours(3));
    QueueState prolonged = reader.queues().get(0);
    assertThat(prolonged.pausedAt()).isEqualTo(longer.pausedAt());
    assertThat(prolonged.pausedUntil()).isAfter(longer.pausedUntil());

    admin.pause("default");
    admin.pause("default", Duration.ofHours(4));
    assertThat(reader.queues()).extracting(QueueState::paused).containsExactly(true);
    assertThat(reader.queues().get(0).pausedUntil()).isNull();

    admin.resume("default");
    admin.pause("default", Duration.ofHours(1));
    assertThat(reader.queues().get(0).pausedUntil()).isBefore(longer.pausedUntil());
  }

  @Test
  void thePauseThatLastsLongerKeepsItsActorAndReason() {
    QueuePause annas = QueuePause.of(Duration.ofHours(2)).by("anna").because("The link is wrong");
    admin.pause("default", annas);
    assertPause("anna", "The link is wrong");

    admin.pause("default", QueuePause.of(Duration.ofHours(1)).by("deployment"));
    assertPause("anna", "The link is wrong");

    admin.pause("default", QueuePause.untilResumed().by("bob"));
    assertPause("bob", null);
    admin.pause("default", annas);
    assertPause("bob", null);

    admin.resume("default");
    assertPause(null, null);
    admin.pause("default", annas);
    fixture.database.timeTravel(Duration.ofHours(3));
    assertPause(null, null);
    admin.pause("default");
    assertPause(null, null);
  }

  private void assertPause(@Nullable String actor, @Nullable String reason) {
    assertThat(reader.queues())
        .extracting(QueueState::pausedBy, QueueState::pauseReason)
        .containsExactly(tuple(actor, reason));
  }

  @Test
  void aPauseForNoTimeIsRefused() {
    for (Duration refused :
        List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(36_501))) {
      assertThatThrownBy(() -> admin.pause("default", refused))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(refused.toString());
    }
    assertThat(reader.queues()).isEmpty();
  }

  @Test
  void resumingAQueueThatIsNotPausedChangesNothing() {
    fixture.enqueue(1);

    admin.resume("default");

    assertThat(fixture.dueLanes("default")).containsExactly(LANE);
  }

  @Test
  void settingsMakeTheRoundTripAndLeaveThePauseAlone() {
    QueueSettings settings =
        QueueSettings.defaults()
            .archiveRetention(Duration.ofDays(3))
            .deadRetention(Duration.ofHours(36))
            .defaultPriority(-5)
            .defaultMaxAttempts(7);
    admin.pause("default");
    admin.configure("default", settings);
    fixture.enqueue(1, job -> job.priority(0));

    assertThat(admin.settings("default")).contains(settings);
    assertThat(admin.settings("other")).isEmpty();
    assertThat(fixture.dueLanes("default")).isEmpty();
    QueueState state = reader.queues().get(0);
    assertThat(state.queue()).isEqualTo("default");
    assertThat(state.archiveRetention()).isEqualTo(Duration.ofDays(3));
    assertThat(state.deadRetention()).isEqualTo(Duration.ofHours(36));
    assertThat(state.defaultPriority()).isEqualTo(-5);
    assertThat(state.defaultMaxAttempts()).isEqualTo(7);

    admin.configure("default", QueueSettings.defaults().noArchive());
    assertThat(admin.settings("default")).contains(QueueSettings.defaults().noArchive());
  }

  @Test
  void refusesNamesThatNoQueueCanHave() {
    assertThatThrownBy(() -> admin.pause("Not a queue"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> admin.configure("", QueueSettings.defaults()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
