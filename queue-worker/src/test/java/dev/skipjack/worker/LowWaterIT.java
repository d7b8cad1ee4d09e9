package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests low-water marks with PostgreSQL: they may delay a job, but neither lose nor repeat one. */
@QueueTest
@Timeout(60)
class LowWaterIT {

  record Note(int number) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);
  private static final Map<String, Integer> ROOM_FOR_FIVE = Map.of("default", 5);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final HintCounter hints = new HintCounter();
  private long now;

  LowWaterIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @Test
  void aJobThatIsCommittedLateIsFoundByTheNextSweep() throws SQLException {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    try (Connection late = begin()) {
      JobId job = queue.in(late).enqueue(NOTE, new Note(0));
      age(late, job);
      force(claimer);

      late.commit();

      foundByTheNextSweep(claimer, job);
    }
  }

  @Test
  void aJobThatAnotherWorkerUnlockedIsFoundByTheNextSweep() throws SQLException {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    JobId job = queue.enqueue(NOTE, new Note(0));
    age(job);
    try (Connection rival = begin()) {
      execute(rival, "SELECT 1 FROM @jobs WHERE id = " + job + " FOR UPDATE");
      force(claimer);

      rival.rollback();

      foundByTheNextSweep(claimer, job);
    }
  }

  @Test
  void aJobThatWasEditedByHandIsFoundByTheNextSweep() throws SQLException {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    JobId job = queue.enqueue(NOTE, new Note(0), options -> options.delay(Duration.ofHours(1)));
    force(claimer);

    age(job);

    foundByTheNextSweep(claimer, job);
  }

  /** If listings are slow, an empty poll does not always run one. */
  @Test
  void aJobThatIsCommittedLateIntoAnEmptyQueueIsFoundByTheNextListing() throws SQLException {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    try (Connection late = begin()) {
      JobId job = queue.in(late).enqueue(NOTE, new Note(0));
      age(late, job);
      force(claimer);
      for (int i = 0; i < 8; i++) {
        assertThat(claim(claimer)).hasSize(5).doesNotContain(job);
      }
      hints.whileListing = () -> now += Duration.ofMillis(300).toNanos();
      assertThat(claim(claimer)).isEmpty(); // lists the lanes
      hints.listings.set(0);

      late.commit();

      for (int i = 0; i < 5; i++) {
        assertThat(claim(claimer)).isEmpty();
        now += Duration.ofSeconds(1).toNanos();
      }
      enqueue(1);
      assertThat(claim(claimer)).hasSize(1).doesNotContain(job); // from the idle lane
      assertThat(hints.listings).hasValue(0);
      now += Duration.ofSeconds(1).toNanos();
      assertThat(claim(claimer)).containsExactly(job);
      assertThat(hints.listings).hasValue(1);
    }
  }

  /**
   * If a large transaction commits late, successive claims find all of its jobs after one sweep.
   */
  @Test
  void lateJobsThatFillManyClaimsNeedOneSweep() throws SQLException {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    List<JobId> jobs = new ArrayList<>();
    try (Connection late = begin()) {
      for (int i = 0; i < 18; i++) {
        jobs.add(queue.in(late).enqueue(NOTE, new Note(i)));
        age(late, jobs.get(i));
      }
      force(claimer);
      late.commit();
    }
    assertThat(claimUntilASweepIsDue(claimer)).doesNotContainAnyElementsOf(jobs);

    List<JobId> claimed = new ArrayList<>();
    int hintedBefore = hints.hinted.get();
    for (int i = 0; i < 4; i++) {
      claimed.addAll(claim(claimer));
    }

    assertThat(claimed).hasSize(20).startsWith(jobs.toArray(JobId[]::new));
    assertThat(hints.hinted.get() - hintedBefore).isEqualTo(3);
  }

  /**
   * With marks, a claim also reads lanes that were not listed, but must not read lanes of a paused
   * queue.
   */
  @Test
  void aPausedQueueIsNoLongerClaimedAtOnce() {
    Claimer claimer = claimer(Claimers.NEVER_FAST);
    force(claimer);
    queue.admin().pause("default");

    assertThat(claim(claimer)).isEmpty();
    now += Duration.ofSeconds(2).toNanos();
    assertThat(claim(claimer)).isEmpty();
    queue.admin().resume("default");
    assertThat(claim(claimer)).hasSize(5);
  }

  @Test
  void inAHealthyDatabaseTheOrderIsExact() throws SQLException {
    Claimer claimer = claimer(Claimers.ALWAYS_FAST);
    JobId job = queue.enqueue(NOTE, new Note(0), options -> options.delay(Duration.ofHours(1)));
    enqueue(30);
    for (int i = 0; i < 4; i++) {
      assertThat(claim(claimer)).hasSize(5);
    }

    age(job);

    assertThat(claim(claimer)).startsWith(job).hasSize(5);
    assertThat(hints.hinted).hasValue(0);
  }

  @Test
  void noJobIsLostAndNoneRunsTwiceWhileMarksAreInForce() throws Exception {
    List<Integer> seen = new CopyOnWriteArrayList<>();
    EventLog events = new EventLog();
    List<Worker> workers = new ArrayList<>();
    List<Connection> late = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        Connection connection = begin();
        late.add(connection);
        List<Note> notes = IntStream.range(i * 100, i * 100 + 100).mapToObj(Note::new).toList();
        queue.in(connection).enqueueAll(NOTE.priority(i % 2), notes);
      }
      List<Note> notes = IntStream.range(500, 2_500).mapToObj(Note::new).toList();
      queue.enqueueAll(NOTE.priority(1), notes.subList(0, 1_000));
      queue.enqueueAll(NOTE, notes.subList(1_000, 2_000));
      for (int i = 0; i < 2; i++) {
        workers.add(
            Worker.on(hints.count(queue))
                .fastClaim(Claimers.NEVER_FAST)
                .handle(
                    NOTE,
                    (note, context) -> {
                      seen.add(note.number());
                      return note.number() % 7 == 0 && context.attempt() == 1
                          ? Outcome.retry(Duration.ZERO, "once more")
                          : Outcome.completed();
                    })
                .queue("default", 4)
                .listener(events)
                .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(50)).build())
                .start());
      }
      for (int i = 0; i < 5; i++) {
        int runs = 300 * (i + 1);
        await().until(() -> seen.size() >= runs);
        late.get(i).commit();
      }

      await().until(() -> events.all(Succeeded.class).size() >= 2_500);
    } finally {
      workers.forEach(Worker::close);
      for (Connection connection : late) {
        connection.close();
      }
    }

    assertThat(hints.hinted.get()).isGreaterThan(10);
    assertThat(events.all(Succeeded.class)).hasSize(2_500);
    assertThat(count("jobs")).isZero();
    assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(2_500);
    int retried = (int) IntStream.range(0, 2_500).filter(number -> number % 7 == 0).count();
    assertThat(seen).hasSize(2_500 + retried);
    assertThat(count("job_executions")).isEqualTo(2_500 + retried);
  }

  /** Moves the marks past a job that is not visible yet, and leaves other jobs to claim. */
  private void force(Claimer claimer) {
    enqueue(60);
    for (int i = 0; i < 4; i++) {
      assertThat(claim(claimer)).hasSize(5);
    }
    assertThat(hints.hinted).hasValue(1);
  }

  private void foundByTheNextSweep(Claimer claimer, JobId job) {
    assertThat(claimUntilASweepIsDue(claimer)).hasSize(10).doesNotContain(job);
    assertThat(claim(claimer)).hasSize(5).startsWith(job);
  }

  /**
   * Claims often enough that no lane becomes idle, because that would have the effect of a sweep.
   */
  private List<JobId> claimUntilASweepIsDue(Claimer claimer) {
    List<JobId> claimed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      now += Duration.ofMillis(700).toNanos();
      claimed.addAll(claim(claimer));
    }
    now += Duration.ofMillis(700).toNanos();
    return claimed;
  }

  private Claimer claimer(Duration fastClaim) {
    return Claimers.of(
        hints.count(queue).store(),
        "note",
        Duration.ofSeconds(30),
        fastClaim,
        () -> now,
        "default");
  }

  private static List<JobId> claim(Claimer claimer) {
    return claimer.claim(ROOM_FOR_FIVE, 1_000).stream()
        .map(attempt -> attempt.execution().jobId())
        .toList();
  }

  private void enqueue(int jobs) {
    queue.enqueueAll(NOTE, IntStream.range(0, jobs).mapToObj(Note::new).toList());
  }

  private void age(JobId job) throws SQLException {
    try (Connection connection = database.connection()) {
      age(connection, job);
    }
  }

  private void age(Connection connection, JobId job) throws SQLException {
    execute(
        connection,
        "UPDATE @jobs SET scheduled_at = now() - interval '1 minute' WHERE id = " + job);
  }

  private Connection begin() throws SQLException {
    Connection connection = database.connection();
    connection.setAutoCommit(false);
    return connection;
  }

  private void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", database.schema() + "."));
    }
  }

  private long count(String from) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT count(*) FROM " + database.schema() + "." + from)) {
      result.next();
      return result.getLong(1);
    }
  }
}
