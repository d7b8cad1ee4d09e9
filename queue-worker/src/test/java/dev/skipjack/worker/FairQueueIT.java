package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the order in which workers start the jobs of groups, by counts of starts in the audit. */
@QueueTest
@Timeout(180)
class FairQueueIT {

  record Work(int number) {}

  private static final JobType<Work> WORK = JobType.of("work", Work.class);
  private static final String QUEUE = "fair";
  private static final String HUGE = "huge";
  private static final int BACKLOG = Boolean.getBoolean("skipjack.soak") ? 1_000_000 : 20_000;
  private static final int SLOTS = 20;

  private final JobQueue queue;
  private final LimitTables limits;

  FairQueueIT(QueueDatabase database) {
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    this.limits = new LimitTables(database);
  }

  @BeforeEach
  void createQueue() {
    limits.queue(QUEUE, null, true);
  }

  /** Starts workers until the condition is true, and returns the groups of all starts in order. */
  private List<String> startsUntil(int workers, Callable<Boolean> condition) {
    List<Worker> started = new ArrayList<>();
    try {
      for (int n = 1; n <= workers; n++) {
        started.add(worker().name("worker-" + n).start());
      }
      await().atMost(Duration.ofSeconds(150)).pollInterval(Duration.ofMillis(20)).until(condition);
    } finally {
      started.forEach(Worker::stopNow);
    }
    return limits.starts();
  }

  private Worker.Builder worker() {
    return Worker.on(queue)
        .config( // The order of starts within a claim is not defined, so claims are small.
            WorkerConfig.builder().prefetch(0).drainTimeout(Duration.ofSeconds(5)).build())
        .handle(WORK, (work, context) -> Outcome.completed())
        .queue(QUEUE, SLOTS);
  }

  private void analyze() {
    limits.execute("VACUUM (ANALYZE) @jobs");
  }

  @Test
  void aHugeBacklogDelaysTheOtherTenantsByTwoRounds() {
    int tenants = 500;
    limits.enqueue(QUEUE, HUGE, 0, BACKLOG);
    limits.enqueue(QUEUE, tenants, 1);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("group_key <> '" + HUGE + "'"));

    Set<String> waiting = new HashSet<>();
    for (int n = 1; n <= tenants; n++) {
      waiting.add(LimitTables.group(n));
    }
    int position = 0;
    while (!waiting.isEmpty()) {
      waiting.remove(starts.get(position++));
    }
    assertThat(position).isLessThanOrEqualTo(2 * (tenants + 1) + SLOTS);
  }

  /** The job of the new tenant is due after all others. */
  @Test
  void aNewTenantBehindAHugeBacklogIsServedAtOnce() {
    limits.enqueue(QUEUE, HUGE, 0, BACKLOG);
    limits.enqueue(QUEUE, "small", 0, 1);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("group_key = 'small'"));

    assertThat(starts.indexOf("small")).isBetween(0, 2 * SLOTS);
  }

  @Test
  void groupsThatHaveOnlyFutureJobsDelayNoOther() {
    int groups = Boolean.getBoolean("skipjack.soak") ? 100_000 : 10_000;
    limits.enqueue(QUEUE, groups, 1);
    limits.execute("UPDATE @jobs SET scheduled_at = now() + interval '1 day'");
    limits.enqueue(QUEUE, "due", 0, 100);
    limits.enqueue(QUEUE, "zzz", 0, 1);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("scheduled_at <= now()"));

    assertThat(starts).hasSize(101);
    assertThat(starts.indexOf("zzz")).isLessThan(4 * SLOTS);
  }

  @Test
  void weightsDecideTheSharesOfBusyGroups() {
    limits.weight(QUEUE, "heavy", 3);
    limits.enqueue(QUEUE, "light", 0, 3_000);
    limits.enqueue(QUEUE, "heavy", 0, 3_000);
    analyze();

    List<String> starts = startsUntil(2, () -> limits.starts().size() >= 1_200);

    long heavy = starts.subList(0, 1_000).stream().filter("heavy"::equals).count();
    assertThat(heavy).isBetween(713L, 787L); // 750, 5 % less or more
  }

  @Test
  void aChangeOfAWeightTakesEffectWithoutARestart() {
    limits.enqueue(QUEUE, "one", 0, 4_000);
    limits.enqueue(QUEUE, "two", 0, 4_000);
    analyze();
    try (Worker worker = worker().start()) {
      await().until(() -> limits.starts().size() > 300);
      limits.weight(QUEUE, "two", 4);
      int changed = limits.starts().size() + 2 * SLOTS;
      await().until(() -> limits.starts().size() > changed + 1_000);

      long two =
          limits.starts().subList(changed, changed + 1_000).stream().filter("two"::equals).count();
      assertThat(two).isBetween(740L, 860L);
      assertThat(worker.status().started()).isTrue();
    }
  }

  @Test
  void aGroupWithoutCompetitionUsesAllSlots() {
    limits.weight(QUEUE, "only", 1);
    limits.weight(QUEUE, "idle", 100);
    limits.enqueue(QUEUE, "only", 0, 500);
    limits.enqueue(QUEUE, "idle", 0, 3);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("true"));

    assertThat(starts).hasSize(503);
    assertThat(starts.stream().collect(Collectors.groupingBy(group -> group)).get("idle"))
        .hasSize(3);
  }

  @Test
  void aPausedGroupIsLeftOutAndServedAfterItsResume() {
    limits.enqueue(QUEUE, 3, 20);
    limits.pause(QUEUE, LimitTables.group(2), true);

    List<String> starts =
        startsUntil(1, () -> limits.hasNo("group_key <> '" + LimitTables.group(2) + "'"));
    assertThat(starts).hasSize(40).doesNotContain(LimitTables.group(2));

    limits.pause(QUEUE, LimitTables.group(2), false);
    assertThat(startsUntil(1, () -> limits.hasNo("true"))).hasSize(60);
  }

  /** The worker has served the queue while it was fair. */
  @Test
  void aQueueThatIsNoLongerFairIsServedByDueTime() {
    try (Worker worker = worker().start()) {
      limits.enqueue(QUEUE, 3, 5);
      await().until(() -> limits.hasNo("true"));
      limits.queue(QUEUE, null, false);
      limits.enqueue(QUEUE, 3, 5);
      await().until(() -> limits.hasNo("true"));
      limits.queue(QUEUE, null, true);
      limits.enqueue(QUEUE, 3, 5);
      await().until(() -> limits.hasNo("true"));

      assertThat(worker.status().started()).isTrue();
    }
    assertThat(limits.starts()).hasSize(45);
  }

  @Test
  void priorityComesBeforeFairness() {
    limits.enqueue(QUEUE, 10, 10);
    limits.enqueue(QUEUE, HUGE, 5, 300);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("true"));

    // A tenth of the slots is for the lane that has waited longest.
    long others = starts.subList(0, 300).stream().filter(group -> !group.equals(HUGE)).count();
    assertThat(others).isLessThanOrEqualTo(45);
  }

  /**
   * Each search reads four times as many jobs as there are slots, until one finds a job without a
   * group.
   */
  @Test
  void jobsWithoutAGroupAreServedLikeOneGroup() {
    limits.enqueue(QUEUE, "busy", 0, 2_000);
    limits.enqueue(QUEUE, null, 0, 100);
    analyze();

    List<String> starts = startsUntil(1, () -> limits.hasNo("group_key IS NULL"));

    assertThat(starts.lastIndexOf("")).isLessThan(2_000 / 4 + 2 * 100 + 5 * SLOTS);
  }
}
