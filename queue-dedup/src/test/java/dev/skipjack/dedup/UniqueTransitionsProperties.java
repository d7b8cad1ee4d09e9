package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Tests random sequences of steps on jobs that share two keys under every rule. No step may fail,
 * for example with a unique violation. A redrive may report that its key is taken.
 */
class UniqueTransitionsProperties {

  private static final QueueDatabase DATABASE = QueueDatabase.create();
  private static final Fixture FIXTURE = new Fixture(DATABASE);

  private static final List<Unique<Sync>> WAYS =
      List.of(
          BY_ACCOUNT,
          BY_ACCOUNT.untilStarted(),
          BY_ACCOUNT.whileLiveOrDead(),
          BY_ACCOUNT.replace(),
          BY_ACCOUNT.untilStarted().replace(),
          BY_ACCOUNT.debounce(Duration.ofMillis(1), Duration.ofMillis(1)));

  /**
   * A rule whose keys are separate from those above, because they are not stored in the jobs' rows.
   */
  private static final Unique<Sync> FOR_A_PERIOD = BY_ACCOUNT.perPeriod(Duration.ofHours(1));

  private static final List<Unique<Sync>> WAYS_FOR_A_PERIOD =
      List.of(FOR_A_PERIOD, FOR_A_PERIOD.replace());

  /**
   * Counts jobs with a key that their rule has released, and jobs without a key that their rule
   * holds.
   */
  private static final String WRONG_KEYS =
      """
      SELECT count(*) FROM @jobs
       WHERE CASE unique_until WHEN 'started' THEN attempts = 0
                               WHEN 'dead' THEN status <> 'dead'
                               WHEN 'ended' THEN true
                               ELSE false END <> (unique_key IS NOT NULL)
      """;

  enum Step {
    ENQUEUE,
    CLAIM,
    CLAIM_WITHOUT_LEASE,
    COMPLETE,
    COMPLETE_IN,
    COMPLETE_IN_AND_ROLL_BACK,
    FAIL,
    DIE,
    SNOOZE,
    RELEASE,
    RESCUE,
    CANCEL,
    REDRIVE,
    EDIT,
    PRUNE,
    PERIODS_END
  }

  private final List<Execution> attempts = new ArrayList<>();

  @AfterContainer
  static void close() {
    DATABASE.close();
  }

  @BeforeTry
  void empty() {
    DATABASE.truncate();
    attempts.clear();
  }

  @Property(tries = 25)
  void onlyARedriveCanConflict(@ForAll("lives") List<Step> steps, @ForAll Random random)
      throws SQLException {
    for (Step step : steps) {
      take(step, random);
      assertThat(FIXTURE.value(WRONG_KEYS)).as("after %s", step).isEqualTo("0");
    }
  }

  @Provide
  Arbitrary<List<Step>> lives() {
    return Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(Step.ENQUEUE)),
            Tuple.of(3, Arbitraries.just(Step.CLAIM)),
            Tuple.of(6, Arbitraries.of(Step.class)))
        .list()
        .ofMinSize(30)
        .ofMaxSize(60);
  }

  private void take(Step step, Random random) throws SQLException {
    switch (step) {
      case ENQUEUE -> enqueue(random);
      case CLAIM -> attempts.addAll(FIXTURE.claim(2, Fixture.LEASE));
      case CLAIM_WITHOUT_LEASE -> FIXTURE.claim(2, Fixture.EXPIRED);
      case RESCUE -> FIXTURE.store.rescue(Duration.ZERO, 10);
      case CANCEL -> FIXTURE.unique.cancel(SYNC, Fixture.sync(key(random)), BY_ACCOUNT);
      case REDRIVE -> redrive();
      case EDIT -> edit(random);
      case PERIODS_END -> DATABASE.timeTravel(Duration.ofHours(1));
      case PRUNE -> FIXTURE.queue.admin().pruneAll(DeadJobs.all(), Duration.ZERO);
      case COMPLETE, COMPLETE_IN, COMPLETE_IN_AND_ROLL_BACK, FAIL, DIE, SNOOZE, RELEASE ->
          end(step);
    }
  }

  private static void enqueue(Random random) {
    boolean forPeriod = random.nextInt(4) == 0;
    List<Unique<Sync>> ways = forPeriod ? WAYS_FOR_A_PERIOD : WAYS;
    Unique<Sync> unique = ways.get(random.nextInt(ways.size()));
    Unique<Sync> sameKey = forPeriod ? FOR_A_PERIOD : BY_ACCOUNT;
    Sync payload = Fixture.sync(key(random));
    Optional<JobId> holder = FIXTURE.unique.find(SYNC, payload, sameKey).map(KeyHolder::jobId);

    EnqueueResult result = FIXTURE.unique.enqueue(SYNC, payload, unique);

    assertThat(result instanceof Enqueued).isEqualTo(holder.isEmpty());
    holder.ifPresent(id -> assertThat(result.jobId()).isEqualTo(id));
    if (result instanceof AlreadyQueued already) {
      assertThat(FIXTURE.unique.find(SYNC, payload, sameKey))
          .contains(new KeyHolder(already.jobId(), Objects.requireNonNull(already.status())));
    }
  }

  private static String key(Random random) {
    return random.nextBoolean() ? "a" : "b";
  }

  /**
   * Gives a job a payload from which another key would be computed. The job's key must not change.
   */
  private static void edit(Random random) {
    List<JobSummary> jobs = FIXTURE.queue.reader().list(JobQuery.live()).jobs();
    if (!jobs.isEmpty()) {
      JobSummary job = jobs.get(random.nextInt(jobs.size()));
      String keys = "SELECT string_agg(unique_key, ' ' ORDER BY id) FROM @jobs";
      String before = FIXTURE.value(keys);

      EditResult result =
          FIXTURE
              .queue
              .admin()
              .edit(job.id(), JobEdit.nothing().payload(Fixture.sync(key(random))).priority(1));

      assertThat(result == EditResult.EDITED)
          .isEqualTo(job.status() == JobStatus.PENDING || job.status() == JobStatus.DEAD);
      assertThat(FIXTURE.value(keys)).isEqualTo(before);
    }
  }

  private static void redrive() {
    List<JobId> dead =
        FIXTURE.queue.reader().list(JobQuery.live().status(JobStatus.DEAD)).jobs().stream()
            .map(JobSummary::id)
            .toList();
    for (RedriveResult result : FIXTURE.queue.admin().redrive(dead)) {
      assertThat(result)
          .isInstanceOfAny(RedriveResult.Redriven.class, RedriveResult.Conflict.class);
    }
  }

  private void end(Step step) throws SQLException {
    if (attempts.isEmpty()) {
      return;
    }
    Execution attempt = attempts.remove(0);
    switch (step) {
      case COMPLETE ->
          assertThat(FIXTURE.store.complete(List.of(attempt)))
              .isSubsetOf(Verdict.DONE, Verdict.LOST);
      case COMPLETE_IN -> completeIn(attempt, true);
      case COMPLETE_IN_AND_ROLL_BACK -> {
        completeIn(attempt, false);
        attempts.add(attempt); // the attempt continues
      }
      case FAIL -> FIXTURE.fail(attempt, false);
      case DIE -> FIXTURE.fail(attempt, true);
      case SNOOZE -> requeue(attempt, ExecutionStatus.SNOOZED);
      default -> requeue(attempt, ExecutionStatus.RELEASED);
    }
  }

  private static void completeIn(Execution attempt, boolean commits) throws SQLException {
    try (Connection connection = DATABASE.connection()) {
      connection.setAutoCommit(false);
      try {
        FIXTURE.store.completeIn(connection, attempt);
        if (commits) {
          connection.commit();
        }
      } catch (LeaseLostException lost) {
        assertThat(lost.jobId()).isEqualTo(attempt.jobId());
      }
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static void requeue(Execution attempt, ExecutionStatus as) {
    FIXTURE.store.requeue(List.of(new Requeue(attempt, as, Duration.ZERO)));
  }
}
