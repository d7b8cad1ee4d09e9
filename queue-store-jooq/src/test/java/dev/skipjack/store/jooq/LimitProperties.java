package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.LimitModel.Job;
import dev.skipjack.store.jooq.LimitModel.Numbers;
import dev.skipjack.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;
import org.jspecify.annotations.Nullable;

/**
 * Tests that claims obey limits, pauses and numbers of groups after any sequence of claims, ends,
 * rescues, redrives and changes of the settings. A claim must also return as many jobs as {@link
 * LimitModel} permits: no permit may be lost, and no job forgotten.
 *
 * <p>With {@code -Dskipjack.soak=true}, each try consists of ten walks.
 */
class LimitProperties {

  private static final int WALKS = Boolean.getBoolean("skipjack.soak") ? 10 : 1;
  private static final List<String> QUEUES = List.of("one", "two", "three");
  private static final List<String> LIMITS = List.of("first", "second");

  /** The empty name stands for jobs without a group. */
  private static final List<String> GROUPS = List.of("", "a", "b", "o'neil \"%s\" é");

  private static final List<String> TO_BE_MET =
      List.of("claimed all", "claimed some", "claimed none", "plain claim", "lowered below");

  private static final QueueDatabase DATABASE = QueueDatabase.create();
  private static final LimitFixture LIMIT = new LimitFixture(DATABASE);

  enum Move {
    ENQUEUE,
    CLAIM,
    COMPLETE,
    FAIL,
    DIE,
    REQUEUE,
    LOSE,
    REDRIVE,
    CANCEL,
    MOVE_RUNNING,
    CHANGE_LIMIT,
    CHANGE_QUEUE,
    CHANGE_GROUP,
    PAUSE_GROUP
  }

  record Step(Move move, int a, int b, int c) {}

  @AfterContainer
  static void close() {
    synchronized (LIMIT) {
      DATABASE.close();
    }
  }

  @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void claimsReturnAsManyJobsAsTheLimitsPermit(@ForAll("walks") List<List<Step>> walks) {
    Set<String> met = new HashSet<>();
    for (List<Step> steps : walks) {
      synchronized (LIMIT) {
        new Walk(met).go(steps);
      }
    }
    met.forEach(Statistics::collect);
    Statistics.coverage(
        coverage -> TO_BE_MET.forEach(one -> coverage.check(one).count(times -> times > 0)));
  }

  @Provide
  Arbitrary<List<List<Step>>> walks() {
    Arbitrary<Move> moves =
        Arbitraries.frequency(
            Tuple.of(14, Move.ENQUEUE),
            Tuple.of(26, Move.CLAIM),
            Tuple.of(12, Move.COMPLETE),
            Tuple.of(5, Move.FAIL),
            Tuple.of(3, Move.DIE),
            Tuple.of(5, Move.REQUEUE),
            Tuple.of(5, Move.LOSE),
            Tuple.of(3, Move.REDRIVE),
            Tuple.of(2, Move.CANCEL),
            Tuple.of(2, Move.MOVE_RUNNING),
            Tuple.of(9, Move.CHANGE_LIMIT),
            Tuple.of(5, Move.CHANGE_QUEUE),
            Tuple.of(5, Move.CHANGE_GROUP),
            Tuple.of(4, Move.PAUSE_GROUP));
    Arbitrary<Integer> any = Arbitraries.integers().between(0, 999);
    return Combinators.combine(moves, any, any, any)
        .as(Step::new)
        .list()
        .ofMinSize(40)
        .ofMaxSize(90)
        .list()
        .ofSize(WALKS);
  }

  /** Takes steps in the database and in the model, and compares them. */
  private static final class Walk {

    private final Fixture fixture = LIMIT.fixture;
    private final LimitModel model = new LimitModel();
    private final LimitClaims claims = LIMIT.claims(DATABASE.dataSource(), "walk");
    private final List<String> done = new ArrayList<>();
    private final Set<String> met;

    Walk(Set<String> met) {
      this.met = met;
    }

    void go(List<Step> steps) {
      DATABASE.truncate();
      for (String limit : LIMITS) {
        changeLimit(limit, 3, 2);
      }
      changeQueue("one", "first", false);
      changeQueue("two", "first", true);
      for (Step step : steps) {
        take(step);
        compare();
      }
    }

    private void take(Step step) {
      switch (step.move) {
        case ENQUEUE -> enqueue(queue(step.a), group(step.b), 1 + step.c % 4);
        case CLAIM -> claim(queue(step.a), 1 + step.b % 6);
        case COMPLETE -> withRunning(step.a, this::complete);
        case FAIL -> withRunning(step.a, job -> fail(job, false));
        case DIE -> withRunning(step.a, job -> fail(job, true));
        case REQUEUE -> withRunning(step.a, job -> requeue(job, step.b % 2 == 0));
        case LOSE -> withRunning(step.a, this::lose);
        case REDRIVE -> with("dead", step.a, this::redrive);
        case CANCEL -> with("pending", step.a, this::cancel);
        case MOVE_RUNNING -> withRunning(step.a, job -> move(job, queue(step.b)));
        case CHANGE_LIMIT ->
            changeLimit(LIMITS.get(step.a % LIMITS.size()), number(step.b, 6), number(step.c, 4));
        case CHANGE_QUEUE -> {
          int limit = step.b % (LIMITS.size() + 1);
          changeQueue(
              queue(step.a), limit == LIMITS.size() ? "" : LIMITS.get(limit), step.c % 2 == 0);
        }
        case CHANGE_GROUP -> changeGroup(queue(step.a), group(1 + step.b % 3), number(step.c, 4));
        case PAUSE_GROUP -> pause(queue(step.a), group(1 + step.b % 3), step.c % 2 == 0);
      }
    }

    private static String queue(int number) {
      return QUEUES.get(number % QUEUES.size());
    }

    private static String group(int number) {
      return GROUPS.get(number % GROUPS.size());
    }

    /** Returns a number below {@code bound}, or null. */
    private static @Nullable Integer number(int drawn, int bound) {
      int number = drawn % (bound + 1);
      return number == bound ? null : number;
    }

    private void withRunning(int drawn, Consumer<Job> action) {
      with("running", drawn, action);
    }

    private void with(String status, int drawn, Consumer<Job> action) {
      List<Job> candidates = model.all(job -> job.is(status));
      if (!candidates.isEmpty()) {
        Job job = candidates.get(drawn % candidates.size());
        action.accept(job);
      }
    }

    private void enqueue(String queue, String group, int count) {
      done.add("enqueue %d of '%s' in %s".formatted(count, group, queue));
      List<JobId> ids =
          fixture.queue.enqueueAll(
              Fixture.WORK.onQueue(queue),
              Collections.nCopies(count, new Fixture.Work(1)),
              options -> group.isEmpty() ? options : options.group(group));
      ids.forEach(id -> model.jobs.put(id, new Job(id, queue, group)));
    }

    private void claim(String queue, int room) {
      done.add("claim %d of %s".formatted(room, queue));
      if (!model.isGrouped(queue)) {
        assertThat(claims.claim(queue, room, Fixture.LEASE)).as(story()).isEmpty();
        List<ClaimedJob> claimed =
            fixture.store.claim(Fixture.request(room, Fixture.LEASE, new Lane(queue, 0)));
        claimed.forEach(job -> started(job, ""));
        met.add("plain claim");
        return;
      }
      assertThat(fixture.store.claim(Fixture.request(room, Fixture.LEASE, new Lane(queue, 0))))
          .as("plain claim after %s", story())
          .isEmpty();
      int expected = model.claimable(queue, room);
      List<ClaimedJob> claimed = claims.claim(queue, room, Fixture.LEASE);
      String before = story();
      for (ClaimedJob job : claimed) {
        Job known = Objects.requireNonNull(model.jobs.get(job.execution().jobId()));
        assertThat(model.objections(known, queue)).as("%s after %s", known, before).isEmpty();
        started(job, model.limit(queue));
      }
      assertThat(claimed).as("number of claimed jobs after %s", before).hasSize(expected);
      met.add(expected == 0 ? "claimed none" : expected == room ? "claimed all" : "claimed some");
    }

    private void started(ClaimedJob claimed, String limit) {
      Job job = Objects.requireNonNull(model.jobs.get(claimed.execution().jobId()));
      job.status = "running";
      job.limit = limit;
      job.execution = claimed.execution();
    }

    private static Execution execution(Job job) {
      return Objects.requireNonNull(job.execution);
    }

    private void complete(Job job) {
      done.add("complete " + job);
      assertThat(fixture.store.complete(List.of(execution(job)))).containsExactly(Verdict.DONE);
      model.jobs.remove(job.id);
    }

    private void fail(Job job, boolean dies) {
      done.add((dies ? "die " : "fail ") + job);
      fixture.store.fail(
          List.of(new Failure(execution(job), JobError.of("no luck"), Duration.ZERO, dies)));
      job.leaveRunning(fixture.value("SELECT status FROM @jobs WHERE id = " + job.id));
    }

    private void requeue(Job job, boolean snoozed) {
      done.add("requeue " + job);
      ExecutionStatus as = snoozed ? ExecutionStatus.SNOOZED : ExecutionStatus.RELEASED;
      fixture.store.requeue(List.of(new Requeue(execution(job), as, Duration.ZERO, null)));
      job.leaveRunning("pending");
    }

    private void lose(Job job) {
      done.add("lose " + job);
      fixture.execute(
          "UPDATE @jobs SET max_attempts = 1000, lease_expires_at = now() - interval '1 s' WHERE id"
              + " = "
              + job.id);
      Execution zombie = execution(job);
      assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(1);
      assertThat(fixture.store.complete(List.of(zombie))).containsExactly(Verdict.LOST);
      job.leaveRunning("pending");
    }

    private void redrive(Job job) {
      done.add("redrive " + job);
      assertThat(fixture.queue.admin().redrive(List.of(job.id)))
          .containsExactly(new RedriveResult.Redriven());
      job.status = "pending";
    }

    private void cancel(Job job) {
      done.add("cancel " + job);
      fixture.queue.admin().cancel(List.of(job.id));
      model.jobs.remove(job.id);
    }

    private void move(Job job, String queue) {
      done.add("move %s to %s".formatted(job, queue));
      fixture.execute("UPDATE @jobs SET queue = '%s' WHERE id = %s".formatted(queue, job.id));
      job.queue = queue;
    }

    private void changeLimit(String limit, @Nullable Integer running, @Nullable Integer perGroup) {
      done.add("limit %s %s %s".formatted(limit, running, perGroup));
      LIMIT.limit(limit, running, perGroup);
      model.limits.put(limit, new Numbers(running, perGroup));
      if (running != null
          && model.running().filter(job -> job.limit.equals(limit)).count() > running) {
        met.add("lowered below");
      }
    }

    private void changeQueue(String queue, String limit, boolean fair) {
      done.add("queue %s '%s' %s".formatted(queue, limit, fair));
      LIMIT.queue(queue, limit.isEmpty() ? null : limit, fair);
      model.limitOf.put(queue, limit);
      if (fair) {
        model.fair.add(queue);
      } else {
        model.fair.remove(queue);
      }
    }

    private void changeGroup(String queue, String group, @Nullable Integer most) {
      done.add("group %s %s %s".formatted(queue, group, most));
      LIMIT.groupMost(queue, group.replace("'", "''"), most);
      if (most == null) {
        model.mostOf.remove(LimitModel.key(queue, group));
      } else {
        model.mostOf.put(LimitModel.key(queue, group), most);
      }
    }

    private void pause(String queue, String group, boolean paused) {
      done.add("%s %s %s".formatted(paused ? "pause" : "resume", queue, group));
      if (paused) {
        LIMIT.pause(queue, group.replace("'", "''"));
        model.paused.add(LimitModel.key(queue, group));
      } else {
        LIMIT.resume(queue, group.replace("'", "''"));
        model.paused.remove(LimitModel.key(queue, group));
      }
    }

    private void compare() {
      String expected =
          model.jobs.values().stream()
              .map(
                  job ->
                      "%s %s %s %s"
                          .formatted(
                              job.id, job.queue, job.status, job.is("running") ? job.limit : ""))
              .collect(Collectors.joining("\n"));
      assertThat(
              fixture.value(
                  "SELECT coalesce(string_agg(id || ' ' || queue || ' ' || status || ' ' || CASE"
                      + " WHEN status = 'running' THEN coalesce(limit_name, '') ELSE '' END, E'\\n"
                      + "' ORDER BY id), '') FROM @jobs"))
          .as(story())
          .isEqualTo(expected);
    }

    private String story() {
      return String.join("\n", done);
    }
  }
}
