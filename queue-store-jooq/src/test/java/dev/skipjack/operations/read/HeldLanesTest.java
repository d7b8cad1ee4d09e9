package dev.skipjack.operations.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.HeldLane.Cause;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which due jobs are reported as held by limits and by pauses of groups. */
@QueueTest
class HeldLanesTest {

  private static final QueueSettings LIMITED = QueueSettings.defaults().limitedBy("stripe");

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin();
  }

  @Test
  void aQueueIsHeldWhileItsLimitIsUsedUpByAnyOfItsQueues() {
    admin.limit("stripe", Limit.none().running(3));
    admin.configure("sync", LIMITED);
    admin.configure("charges", LIMITED);
    running("charges", "stripe", "a", 2);
    pending("sync", 0, "a", 4);
    pending("sync", 5, null, 1);

    assertThat(held()).isEmpty();

    running("sync", "stripe", null, 1);

    assertThat(held())
        .containsExactly(new HeldLane("sync", null, Cause.RUNNING, "stripe", 3, 3, null, 5));
  }

  @Test
  void aGroupIsHeldWhileItRunsAsManyJobsAsItMay() {
    admin.limit("stripe", Limit.none().runningPerGroup(2));
    admin.configure("sync", LIMITED);
    admin.configureGroup("sync", "big", GroupSettings.defaults().maxRunning(3));
    admin.configureGroup("sync", "off", GroupSettings.defaults().maxRunning(0));
    running("sync", "stripe", "a", 2);
    running("sync", "stripe", "big", 2);
    running("sync", "stripe", "b", 1);
    running("sync", "stripe", "off", 1);
    running("sync", "stripe", null, 2);
    pending("sync", 0, "a", 1);
    pending("sync", 7, "a", 1);
    pending("sync", 0, "big", 1);
    pending("sync", 0, "b", 1);
    pending("sync", 0, "off", 1);
    pending("sync", 0, null, 1);
    pending("other", 0, "a", 9);

    assertThat(held())
        .containsExactly(
            new HeldLane("sync", null, Cause.RUNNING_OF_GROUP, "stripe", 2, 2, null, 1),
            new HeldLane("sync", "a", Cause.RUNNING_OF_GROUP, "stripe", 2, 2, null, 2),
            new HeldLane("sync", "off", Cause.RUNNING_OF_GROUP, "stripe", 1, 0, null, 1));
  }

  @Test
  void pausedGroupsAreHeldInFairAndInLimitedQueues() {
    admin.limit("stripe", Limit.none());
    admin.configure("sync", LIMITED);
    admin.configure("mail", QueueSettings.defaults().fair());
    for (String queue : List.of("sync", "mail")) {
      admin.pauseGroup(queue, "a");
      admin.pauseGroup(queue, "idle");
      pending(queue, 0, "a", 1_001);
      pending(queue, 0, "b", 1);
    }

    assertThat(held())
        .containsExactly(
            new HeldLane("mail", "a", Cause.GROUP_PAUSED, null, 0, null, null, 1_000),
            new HeldLane("sync", "a", Cause.GROUP_PAUSED, "stripe", 0, null, null, 1_000));

    admin.resumeGroup("sync", "a");
    admin.configure("mail", QueueSettings.defaults());

    assertThat(held()).isEmpty();
  }

  @Test
  void aClosedRateHoldsTheLimitOrItsGroups() {
    admin.limit("stripe", Limit.none().rate(Rate.sliding(3, Duration.ofHours(1))));
    admin.configure("sync", LIMITED);
    pending("sync", 0, "a", 2);
    used("", 2);

    assertThat(held()).isEmpty();

    used("", 1);

    assertThat(held())
        .singleElement()
        .satisfies(
            lane -> {
              assertThat(lane.cause()).isEqualTo(Cause.RATE);
              assertThat(lane.most()).isEqualTo(3);
              assertThat(lane.due()).isEqualTo(2);
              assertThat(Duration.between(Instant.now(), lane.opensAt()))
                  .isBetween(Duration.ofMinutes(50), Duration.ofMinutes(61));
            });

    admin.limit("stripe", Limit.none().rate(Rate.sliding(3, Duration.ofHours(1)).perGroup()));
    used("/a", 3);
    used("/b", 3);
    used("/", 2);

    assertThat(held())
        .extracting(HeldLane::group, HeldLane::cause, HeldLane::due)
        .containsExactly(tuple("a", Cause.RATE_OF_GROUP, 2));

    pending("sync", 0, null, 1);
    used("/", 1);

    assertThat(held())
        .extracting(HeldLane::group, HeldLane::cause, HeldLane::due)
        .containsExactly(tuple(null, Cause.RATE_OF_GROUP, 1), tuple("a", Cause.RATE_OF_GROUP, 2));

    admin.resetLimit("stripe");

    assertThat(held()).isEmpty();
  }

  private void used(String key, int taken) {
    fixture.execute(
        "INSERT INTO @job_rate_uses (limit_name, group_key, taken, full_at) VALUES ('stripe', '%s', %d, now())"
            .formatted(key, taken));
  }

  @Test
  void aLimitOfZeroHoldsEveryJob() {
    admin.limit("stripe", Limit.none().running(0).runningPerGroup(0));
    admin.configure("sync", LIMITED);
    pending("sync", 0, "a", 2);

    assertThat(held())
        .containsExactly(
            new HeldLane("sync", null, Cause.RUNNING, "stripe", 0, 0, null, 2),
            new HeldLane("sync", null, Cause.RUNNING_OF_GROUP, "stripe", 0, 0, null, 2));
  }

  @Test
  void jobsThatAreNotDueAndPausedQueuesAreNotHeld() {
    admin.limit("stripe", Limit.none().running(0));
    admin.configure("sync", LIMITED);
    admin.configure("mail", LIMITED);
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, scheduled_at) VALUES ('sync', 'k', '{}', now() + interval '1 hour')");
    pending("mail", 0, "a", 1);
    admin.pause("mail");

    assertThat(held()).isEmpty();
  }

  private List<HeldLane> held() {
    return fixture.queue.reader().held();
  }

  private void pending(String queue, int priority, @Nullable String group, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority, group_key) SELECT '%s', 'k', '{}', %d, %s FROM generate_series(1, %d)"
            .formatted(queue, priority, literal(group), count));
  }

  private void running(String queue, String limit, @Nullable String group, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at, limit_name, group_key)"
            + " SELECT '%s', 'k', '{}', 'running', nextval('@job_execution_id_seq'), now() + interval '1 hour', now(), '%s', %s FROM generate_series(1, %d)"
                .formatted(queue, limit, literal(group), count));
  }

  private static String literal(@Nullable String text) {
    return text == null ? "NULL" : "'" + text + "'";
  }
}
