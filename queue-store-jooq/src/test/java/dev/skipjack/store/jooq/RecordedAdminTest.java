package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that changes by operators are recorded with their actors and reasons, in the same
 * transaction.
 */
@QueueTest
class RecordedAdminTest {

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin().as("anna", "a customer waits");
  }

  private JobId insert(String status, String columns, String values) {
    return new JobId(
        Long.parseLong(
            fixture.value(
                "INSERT INTO @jobs (kind, payload, queue, status%s) VALUES ('work', '{}', 'a', '%s'%s) RETURNING id"
                    .formatted(columns, status, values))));
  }

  private JobId pending() {
    return insert("pending", "", "");
  }

  private JobId dead() {
    return insert("dead", ", died_at", ", now()");
  }

  private List<JobChange> changes() {
    return fixture.queue.operations().changes(100);
  }

  @Test
  void eachChangeOfAJobIsRecorded() {
    JobId cancelled = pending();
    JobId edited = pending();
    JobId redriven = dead();
    JobId pruned = dead();

    assertThat(admin.cancel(List.of(cancelled))).containsExactly(CancelResult.CANCELLED);
    admin.edit(edited, JobEdit.nothing().priority(7).delay(Duration.ofHours(1)));
    assertThat(admin.redrive(List.of(redriven)).get(0)).isInstanceOf(RedriveResult.Redriven.class);
    admin.prune(List.of(pruned));

    assertThat(changes())
        .extracting(JobChange::action, JobChange::queue, JobChange::target)
        .containsExactly(
            tuple("prune", "a", pruned.toString()),
            tuple("redrive", "a", redriven.toString()),
            tuple("edit", "a", edited.toString()),
            tuple("cancel", "a", cancelled.toString()));
    assertThat(changes())
        .allMatch(change -> change.actor().equals("anna"))
        .allMatch(change -> "a customer waits".equals(change.reason()))
        .allMatch(change -> change.changedAt() != null);
    assertThat(fixture.queue.reader().find(edited).orElseThrow().summary().priority()).isEqualTo(7);
  }

  @Test
  void changesOfQueuesAndKeysAreRecorded() {
    JobId head = insert("dead", ", died_at, ordering_key, ordering_head", ", now(), 'k', true");
    admin.pause("a", Duration.ofHours(1));
    admin.resume("a");
    admin.configure("a", QueueSettings.defaults().defaultPriority(3));
    assertThat(admin.unblock("k", head)).isTrue();
    assertThat(admin.unblock("k", head)).isFalse();

    assertThat(changes())
        .extracting(JobChange::action, JobChange::queue, JobChange::target)
        .containsExactly(
            tuple("unblock", "a", "k"),
            tuple("configure", "a", "a"),
            tuple("resume", "a", "a"),
            tuple("pause", "a", "a"));
    assertThat(admin.settings("a").orElseThrow().defaultPriority()).hasValue(3);
  }

  @Test
  void changesOfAllDeadJobsAreRecordedOnce() {
    dead();
    dead();
    admin.redriveAll(DeadJobs.all());
    dead();
    admin.pruneAll(DeadJobs.all(), Duration.ZERO);

    assertThat(changes())
        .extracting(JobChange::action, JobChange::target)
        .containsExactly(tuple("prune_all", "1 jobs"), tuple("redrive_all", "2 jobs"));
  }

  @Test
  void aChangeWithoutEffectIsNotRecorded() {
    JobId job = pending();

    assertThat(admin.redrive(List.of(job)).get(0)).isInstanceOf(RedriveResult.NotDead.class);
    assertThat(admin.cancel(List.of(new JobId(4711)))).containsExactly(CancelResult.GONE);
    fixture.queue.admin().cancel(List.of(job));

    assertThat(changes()).isEmpty();
  }

  @Test
  void withoutItsRecordNothingIsChanged() {
    JobId job = pending();
    fixture.execute(
        "CREATE FUNCTION @fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION"
            + " ''full''; END'");
    fixture.execute(
        "CREATE TRIGGER fail BEFORE INSERT ON @job_changes FOR EACH ROW EXECUTE FUNCTION @fail()");
    try {
      assertThatThrownBy(() -> admin.cancel(List.of(job)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("full");
      assertThatThrownBy(() -> admin.pause("a")).isInstanceOf(StoreException.class);
    } finally {
      fixture.execute("DROP FUNCTION @fail() CASCADE");
    }

    assertThat(fixture.queue.reader().find(job).orElseThrow().summary().status())
        .isEqualTo(JobStatus.PENDING);
    assertThat(fixture.queue.reader().queues()).isEmpty();
  }

  @Test
  void otherChangesAreRecordedByTheirTools() {
    fixture.queue.operations().record("bert", null, "fire_schedule", "a", "daily");

    assertThat(changes())
        .extracting(JobChange::actor, JobChange::reason, JobChange::action, JobChange::target)
        .containsExactly(tuple("bert", null, "fire_schedule", "daily"));
  }

  @Test
  void namesAndReasonsAreChecked() {
    assertThatThrownBy(() -> fixture.queue.admin().as(" ", null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.queue.admin().as("a".repeat(201), null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.queue.admin().as("anna", "r".repeat(1_001)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void recordsAreDeletedWithTheAudit() {
    fixture.execute(
        "INSERT INTO @job_changes (actor, action, target, changed_at) SELECT 'anna', 'cancel', n::text, now() - n * interval '1 day' FROM generate_series(12000, 1, -1) n");

    assertThat(fixture.queue.maintenance().removePartitions(Retention.defaults()).postponed())
        .isEmpty();

    assertThat(fixture.value("SELECT count(*) || ', ' || max(target::int) FROM @job_changes"))
        .isEqualTo("29, 29");
    assertThat(
            fixture
                .queue
                .maintenance()
                .removePartitions(new Retention(Duration.ZERO, Duration.ZERO))
                .postponed())
        .isEmpty();
    assertThat(changes()).isEmpty();
  }
}
