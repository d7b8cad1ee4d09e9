package dev.skipjack.operations.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobExplanation.Reason;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what {@code why} and the doctor report about limits and groups. */
@QueueTest
class LimitExplanationTest {

  private static final QueueSettings LIMITED = QueueSettings.defaults().limitedBy("stripe");

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin();
    fixture.execute(
        "INSERT INTO @job_workers (name, boot_id, queues, kinds) VALUES ('w', gen_random_uuid(), '{sync}', '{k}')");
  }

  @Test
  void aJobThatALimitHoldsNamesTheRunningJobs() {
    admin.limit("stripe", Limit.none().running(2));
    admin.configure("sync", LIMITED);
    long first = running("other", "a");
    long second = running("sync", null);
    JobId job = pending("a");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.LIMIT_REACHED);
    assertThat(why.sentence())
        .isEqualTo(
            "Held by the limit stripe: 2 of 2 jobs run (jobs %d, %d).".formatted(first, second));
    assertThat(why.evidence())
        .containsEntry("limit", "stripe")
        .containsEntry("running", "2")
        .containsEntry("max_running", "2")
        .containsEntry("group", "a");
    assertThat(why.fix())
        .isEqualTo(
            new Fix(
                "skipjack limits list",
                "queue.admin().limit(\"stripe\", limit) with a larger number"));
  }

  @Test
  void aJobOfAFullGroupNamesTheGroupAndItsRunningJobs() {
    admin.limit("stripe", Limit.none().runningPerGroup(1));
    admin.configure("sync", LIMITED);
    admin.configureGroup("sync", "big", GroupSettings.defaults().maxRunning(4));
    running("sync", "a");
    running("sync", "big");
    running("sync", "big");
    long first = running("sync", null);

    assertThat(why(pending("a")).sentence())
        .startsWith("Held by the limit stripe: 1 of 1 jobs of the group a run (job ");
    assertThat(why(pending(null)).sentence())
        .isEqualTo(
            "Held by the limit stripe: 1 of 1 jobs without a group run (job %d).".formatted(first));
    assertThat(why(pending("b")).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    JobId ofBig = pending("big");
    assertThat(why(ofBig).reason()).isEqualTo(Reason.NEXT_IN_LINE);

    running("sync", "big");
    running("sync", "big");

    assertThat(why(ofBig).sentence())
        .startsWith("Held by the limit stripe: 4 of 4 jobs of the group big run (jobs ")
        .endsWith(", ...).");
  }

  @Test
  void aJobOfAPausedGroupIsResumed() {
    admin.configure("sync", QueueSettings.defaults().fair());
    admin.pauseGroup("sync", "it's");
    JobId job = pending("it's");

    assertThat(why(job).reason()).isEqualTo(Reason.GROUP_PAUSED);
    assertThat(why(job).sentence())
        .matches(
            "The group it's of the queue sync has been paused for \\d+ s, until an operator resumes it\\.");
    assertThat(why(job).fix())
        .isEqualTo(
            new Fix(
                "skipjack groups resume sync 'it'\\''s'",
                "queue.admin().resumeGroup(\"sync\", \"it's\")"));
    assertThat(why(pending("other")).reason()).isEqualTo(Reason.NEXT_IN_LINE);
  }

  @Test
  void aJobOfAFairQueueWaitsForTheJobsOfItsGroupOnly() {
    admin.configure("sync", QueueSettings.defaults().fair());
    JobId first = pending("a");
    JobId second = pending("a");
    JobId other = pending("b");
    JobId single = pending(null);
    JobId next = pending(null);

    assertThat(why(first).sentence())
        .endsWith(
            ", next in line of its group a: nothing holds it. The groups of the queue take turns.");
    assertThat(why(second).reason()).isEqualTo(Reason.BEHIND_OTHERS);
    assertThat(why(second).sentence())
        .endsWith(", behind 1 due job of its group a; the groups of the queue take turns.");
    assertThat(why(other).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why(single).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(why(next).sentence())
        .endsWith(
            ", behind 1 due job of the jobs without a group; the groups of the queue take turns.");
  }

  @Test
  void theDoctorReportsLimitsAndGroupsWithoutAnEffect() {
    assertThat(limits().level()).isEqualTo(Finding.Level.GREEN);

    admin.limit("stripe", Limit.none().running(2));

    assertThat(limits().level()).isEqualTo(Finding.Level.YELLOW);
    assertThat(limits().sentence())
        .isEqualTo("Limit stripe has no effect, because no queue obeys it.");
    assertThat(limits().fix())
        .isEqualTo(
            new Fix(
                "skipjack limits remove stripe",
                "queue.admin().configure(name, settings.limitedBy(\"stripe\"))"));

    admin.configure("sync", LIMITED);
    admin.configureGroup("sync", "a", GroupSettings.defaults().maxRunning(1));
    admin.pauseGroup("sync", "b");

    assertThat(limits().level()).isEqualTo(Finding.Level.GREEN);

    admin.configure("sync", QueueSettings.defaults().fair());
    admin.removeLimit("stripe");

    assertThat(limits().sentence())
        .isEqualTo(
            "Settings of the group a have no effect, because the queue sync is not fair or has no limit.");

    admin.configure("sync", QueueSettings.defaults());

    assertThat(limits().sentence()).endsWith(" The same holds for 1 other limit or group.");
  }

  @Test
  void aJobThatARateHoldsNamesTheTimeOfTheNextStart() {
    admin.limit("stripe", Limit.none().rate(Rate.bucket(10, Duration.ofSeconds(1)).burst(5)));
    admin.configure("sync", LIMITED);
    JobId job = pending("a");
    used("", 0, "now() + interval '1 minute 400 milliseconds'");

    JobExplanation why = why(job);

    assertThat(why.reason()).isEqualTo(Reason.RATE_REACHED);
    assertThat(why.sentence())
        .startsWith("Held by the rate of the limit stripe, or by a throttle, until ")
        .matches(".*, in (1 min|59 s|60 s).*");
    assertThat(Duration.between(Instant.now(), Instant.parse(why.evidence().get("opens_at"))))
        .isBetween(Duration.ofSeconds(40), Duration.ofSeconds(61));
    assertThat(why.fix())
        .isEqualTo(new Fix("skipjack limits reset stripe", "queue.admin().resetLimit(\"stripe\")"));

    assertThat(admin.resetLimit("stripe")).isTrue();
    assertThat(why(job).reason()).isEqualTo(Reason.NEXT_IN_LINE);
    assertThat(admin.resetLimit("other")).isFalse();
  }

  @Test
  void aWindowIsClosedUntilItsStartsLeaveIt() {
    admin.limit("stripe", Limit.none().rate(Rate.sliding(3, Duration.ofHours(1)).perGroup()));
    admin.configure("sync", LIMITED);
    used("/a", 2, "now()");
    JobId job = pending("a");

    assertThat(why(job).reason()).isEqualTo(Reason.NEXT_IN_LINE);

    used("/a", 1, "now()");
    used("/", 3, "now()");

    assertThat(why(job).reason()).isEqualTo(Reason.RATE_REACHED);
    assertThat(why(pending(null)).reason()).isEqualTo(Reason.RATE_REACHED);
    assertThat(why(pending("b")).reason()).isEqualTo(Reason.NEXT_IN_LINE);

    admin.limit("stripe", Limit.none().rate(Rate.fixed(4, Duration.ofDays(1)).perGroup()));

    assertThat(why(job).reason()).isEqualTo(Reason.NEXT_IN_LINE);
  }

  @Test
  void theDoctorReportsARateThatIsClosedForLong() {
    admin.limit("stripe", Limit.none().rate(Rate.bucket(1, Duration.ofHours(2)).burst(3)));
    admin.configure("sync", LIMITED);
    used("", 3, "now() + interval '6 hours'");

    assertThat(limits().level()).isEqualTo(Finding.Level.GREEN);

    used("", 0, "now() + interval '8 hours'");

    assertThat(limits().sentence())
        .startsWith("The rate of limit stripe allows no start until ")
        .endsWith(": a throttle is long, or the clock of the database was set back.");
    assertThat(limits().fix())
        .isEqualTo(new Fix("skipjack limits reset stripe", "queue.admin().resetLimit(\"stripe\")"));
  }

  private void used(String key, int taken, String fullAt) {
    fixture.execute(
        "INSERT INTO @job_rate_uses (limit_name, group_key, taken, full_at) VALUES ('stripe', '%s', %d, %s)"
            .formatted(key, taken, fullAt));
  }

  private Finding limits() {
    return fixture.queue.doctor().run().stream()
        .filter(finding -> finding.check().equals("limits"))
        .findFirst()
        .orElseThrow();
  }

  private JobExplanation why(JobId job) {
    return fixture.queue.reader().why(job).orElseThrow();
  }

  private JobId pending(@Nullable String group) {
    return new JobId(
        Long.parseLong(
            fixture.value(
                "INSERT INTO @jobs (queue, kind, payload, group_key) VALUES ('sync', 'k', '{}', %s) RETURNING id"
                    .formatted(literal(group)))));
  }

  private long running(String queue, @Nullable String group) {
    return Long.parseLong(
        fixture.value(
            "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at, limit_name, group_key)"
                + " VALUES ('%s', 'k', '{}', 'running', nextval('@job_execution_id_seq'), now() + interval '1 hour', now(), 'stripe', %s) RETURNING id"
                    .formatted(queue, literal(group))));
  }

  private static String literal(@Nullable String text) {
    return text == null ? "NULL" : "'" + text.replace("'", "''") + "'";
  }
}
