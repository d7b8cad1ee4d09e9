package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class LimitsAdminTest {

  private static final QueueSettings LIMITED = QueueSettings.defaults().limitedBy("stripe");

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin();
  }

  @Nested
  class Limits {

    @Test
    void everyNumberOfALimitIsStored() {
      for (Limit limit :
          List.of(
              Limit.none(),
              Limit.none().running(0),
              Limit.none().running(50).runningPerGroup(3),
              Limit.none().rate(Rate.bucket(100, Duration.ofSeconds(1))),
              Limit.none()
                  .rate(Rate.bucket(7, Duration.ofNanos(1_234_567_000)).burst(20).perGroup()),
              Limit.none().running(1).rate(Rate.sliding(1_000_000, Rate.LONGEST)),
              Limit.none()
                  .runningPerGroup(Integer.MAX_VALUE)
                  .rate(Rate.fixed(1, Duration.ofMillis(1))))) {
        admin.limit("stripe", limit);

        assertThat(admin.limit("stripe")).contains(limit);
      }
      assertThat(admin.limit("other")).isEmpty();
    }

    @Test
    void aDeclarationKeepsWhatAnOperatorHasSet() {
      Limit declared = Limit.none().running(50);

      assertThat(admin.declareLimit("stripe", declared)).isTrue();
      admin.limit("stripe", Limit.none().running(5));

      assertThat(admin.declareLimit("stripe", declared)).isFalse();
      assertThat(admin.limit("stripe")).contains(Limit.none().running(5));
    }

    @Test
    void aLimitIsRemovedOnceNoQueueObeysIt() {
      admin.limit("stripe", Limit.none().running(1));
      admin.configure("sync", LIMITED);
      admin.configure("charges", LIMITED);

      assertThatThrownBy(() -> admin.removeLimit("stripe"))
          .isInstanceOf(QueueException.class)
          .hasMessage(
              "Limit 'stripe' was not removed, because these queues obey it: charges, sync."
                  + " Configure them without it first.");

      admin.configure("sync", QueueSettings.defaults());
      admin.configure("charges", QueueSettings.defaults());
      fixture.execute(
          "INSERT INTO @job_rate_uses (limit_name, taken, full_at) VALUES ('stripe', 1, now()),"
              + " ('other', 1, now())");
      assertThat(admin.removeLimit("stripe")).isTrue();
      assertThat(admin.removeLimit("stripe")).isFalse();
      assertThat(fixture.value("SELECT string_agg(limit_name, ',') FROM @job_rate_uses"))
          .isEqualTo("other");
    }

    @Test
    void aQueueCannotObeyALimitThatDoesNotExist() {
      for (Runnable change :
          List.<Runnable>of(
              () -> admin.configure("sync", LIMITED), () -> admin.declare("sync", LIMITED))) {
        assertThatThrownBy(change::run)
            .isInstanceOf(QueueException.class)
            .hasMessage(
                "Queue 'sync' was not configured, because limit 'stripe' does not exist. Create it"
                    + " first, with QueueAdmin.limit(\"stripe\", Limit) or declareLimit.");
      }
      assertThat(admin.settings("sync")).isEmpty();
    }

    @Test
    void theListHasTheQueuesAndTheRunningJobsOfEachLimit() {
      admin.limit("stripe", Limit.none().running(50).runningPerGroup(3));
      admin.limit("idle", Limit.none());
      admin.configure("sync", LIMITED);
      admin.configure("charges", LIMITED);
      running("sync", "stripe", "a", 2);
      running("charges", "stripe", null, 1);
      running("other", null, "a", 4);

      List<LimitState> limits = fixture.queue.reader().limits();

      assertThat(limits)
          .extracting(LimitState::name, LimitState::queues, LimitState::running)
          .containsExactly(
              tuple("idle", List.of(), 0), tuple("stripe", List.of("charges", "sync"), 3));
      assertThat(limits.get(1).limit()).isEqualTo(Limit.none().running(50).runningPerGroup(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Stripe", "a b", "ä"})
    void namesOfLimitsFollowTheRuleOfQueues(String name) {
      assertThatThrownBy(() -> admin.limit(name, Limit.none()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Limit name '" + name + "' is not allowed.");
      assertThatThrownBy(() -> QueueSettings.defaults().limitedBy(name))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Nested
  class Queues {

    @Test
    void theSettingsOfAQueueContainItsLimitAndWhetherItIsFair() {
      admin.limit("stripe", Limit.none());
      QueueSettings settings = LIMITED.fair().defaultPriority(3);

      admin.configure("sync", settings);

      assertThat(admin.settings("sync")).contains(settings);
      assertThat(fixture.queue.reader().queues().get(0).limit()).isEqualTo("stripe");
      assertThat(fixture.queue.reader().queues().get(0).fair()).isTrue();

      admin.configure("sync", QueueSettings.defaults());

      assertThat(admin.settings("sync")).contains(QueueSettings.defaults());
    }

    @Test
    void aDeclarationSetsTheSettingsOfAQueueThatHasOnlyBeenPaused() {
      admin.limit("stripe", Limit.none());
      admin.pause("sync");

      assertThat(admin.declare("sync", LIMITED)).isTrue();

      assertThat(admin.settings("sync")).contains(LIMITED);
      assertThat(fixture.queue.reader().queues().get(0).paused()).isTrue();
      assertThat(admin.declare("sync", QueueSettings.defaults())).isFalse();
      assertThat(admin.settings("sync")).contains(LIMITED);
    }

    @Test
    void aDeclarationKeepsWhatAnOperatorHasSet() {
      admin.limit("stripe", Limit.none());
      admin.declare("sync", LIMITED);
      admin.configure("sync", QueueSettings.defaults());
      fixture.execute("INSERT INTO @job_queues (queue, fair) VALUES ('mail', true)");

      assertThat(admin.declare("sync", LIMITED)).isFalse();
      assertThat(admin.declare("mail", LIMITED)).isFalse();

      assertThat(admin.settings("sync")).contains(QueueSettings.defaults());
      assertThat(admin.settings("mail")).contains(QueueSettings.defaults().fair());
    }
  }

  @Nested
  class Groups {

    @Test
    void theSettingsOfAGroupAreReplaced() {
      admin.limit("stripe", Limit.none());
      admin.configure("sync", LIMITED);
      GroupSettings settings = GroupSettings.defaults().weight(5).maxRunning(10);

      admin.configureGroup("sync", "tenant-42", settings);
      admin.pauseGroup("sync", "tenant-42");

      assertThat(admin.groupSettings("sync", "tenant-42")).contains(settings);
      GroupState state = fixture.queue.reader().groups("sync").get(0);
      assertThat(state.settings()).isEqualTo(settings);
      assertThat(state.paused()).isTrue();

      admin.configureGroup("sync", "tenant-42", GroupSettings.defaults());
      admin.resumeGroup("sync", "tenant-42");

      assertThat(admin.groupSettings("sync", "tenant-42")).contains(GroupSettings.defaults());
      assertThat(fixture.queue.reader().groups("sync").get(0).paused()).isFalse();
      assertThat(fixture.queue.reader().groups("other")).isEmpty();
      assertThat(admin.groupSettings("other", "tenant-42")).isEmpty();
    }

    @Test
    void aSecondPauseChangesNothing() {
      admin.configure("sync", QueueSettings.defaults().fair());
      admin.pauseGroup("sync", "a");
      Instant first = fixture.queue.reader().groups("sync").get(0).pausedAt();

      admin.pauseGroup("sync", "a");
      admin.resumeGroup("sync", "never-paused");

      assertThat(fixture.queue.reader().groups("sync"))
          .singleElement()
          .extracting(GroupState::pausedAt)
          .isEqualTo(first);
    }

    @Test
    void settingsWithoutAnEffectAreRejected() {
      admin.limit("stripe", Limit.none());
      admin.configure("mail", QueueSettings.defaults().defaultPriority(1));

      for (String queue : List.of("new", "mail")) {
        assertThatThrownBy(() -> admin.pauseGroup(queue, "a"))
            .isInstanceOf(QueueException.class)
            .hasMessage(
                "Group 'a' was not paused, because queue '%s' neither is fair nor has a limit, so"
                    + " workers do not read its groups. Configure the queue with"
                    + " QueueSettings.fair() or limitedBy(name) first.",
                queue);
        assertThatThrownBy(
                () -> admin.configureGroup(queue, "a", GroupSettings.defaults().weight(2)))
            .isInstanceOf(QueueException.class)
            .hasMessageStartingWith("Group 'a' was not configured, because queue '" + queue);
      }
      admin.configure("mail", QueueSettings.defaults().fair());
      assertThatThrownBy(
              () -> admin.configureGroup("mail", "a", GroupSettings.defaults().maxRunning(2)))
          .isInstanceOf(QueueException.class)
          .hasMessage(
              "Max running 2 of group 'a' was not set, because queue 'mail' has no limit and it"
                  + " would not be enforced. Configure the queue with QueueSettings.limitedBy(name)"
                  + " first.");
      assertThat(fixture.value("SELECT count(*) FROM @job_groups")).isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'; DROP TABLE jobs; --", "\\", "%", "\u0001\n", "ö😀", " "})
    void anyTextCanNameAGroup(String group) {
      admin.configure("sync", QueueSettings.defaults().fair());

      admin.configureGroup("sync", group, GroupSettings.defaults().weight(2));
      admin.pauseGroup("sync", group);

      assertThat(fixture.queue.reader().groups("sync"))
          .singleElement()
          .extracting(GroupState::group)
          .isEqualTo(group);
    }
  }

  /** A claim shares the lock of its limit until it commits. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void changesOfALimitWaitForTheClaimsThatHaveBegun(int change) throws Exception {
    admin.limit("stripe", Limit.none().running(5));
    admin.limit("unused", Limit.none());
    admin.configure("sync", LIMITED);
    List<Runnable> changes =
        List.of(
            () -> admin.limit("stripe", Limit.none().running(1)),
            () -> admin.resetLimit("stripe"),
            () -> admin.configure("sync", QueueSettings.defaults()),
            () -> admin.configure("sync", QueueSettings.defaults().limitedBy("unused")),
            () -> admin.configureGroup("sync", "a", GroupSettings.defaults().maxRunning(1)),
            () -> admin.pauseGroup("sync", "a"));
    ExecutorService operator = Executors.newSingleThreadExecutor();
    try (Connection claim = fixture.database.connection();
        Statement statement = claim.createStatement()) {
      claim.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended('stripe', 1))");

      Future<?> changed = operator.submit(changes.get(change));

      Awaitility.await()
          .until(
              () ->
                  fixture
                      .value(
                          "SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database WHERE"
                              + " datname = current_database() AND locktype = 'advisory' AND NOT"
                              + " granted")
                      .equals("1"));
      assertThat(changed.isDone()).isFalse();
      claim.commit();
      changed.get(30, TimeUnit.SECONDS);
    } finally {
      operator.shutdownNow();
    }
  }

  private void running(String queue, @Nullable String limit, @Nullable String group, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at,"
            + " started_at, limit_name, group_key)"
            + " SELECT '%s', 'k', '{}', 'running', nextval('@job_execution_id_seq'), now() + interval '1 hour', now(), %s, %s FROM generate_series(1, %d)"
                .formatted(queue, literal(limit), literal(group), count));
  }

  private static String literal(@Nullable String text) {
    return text == null ? "NULL" : "'" + text + "'";
  }
}
