package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Takes random steps on the jobs of five ordering keys. After every step, the statuses, the heads
 * and the order within each key must match an in-memory model. Transactions of callers and handlers
 * stay open for many steps, and end in any order with a commit or a rollback.
 */
@QueueTest
@Timeout(120)
class OrderingModelTest {

  private static final int STEPS = 150;
  private static final int KEYS = 5;
  private static final int MOST_OPEN = 3;

  private final Fixture fixture;
  private final OrderedJobs ordered;
  private final Map<Long, Job> jobs = new TreeMap<>();
  private final List<Open> open = new ArrayList<>();
  private final List<String> steps = new ArrayList<>();
  private Random random = new Random(0);

  OrderingModelTest(QueueDatabase database) {
    this.fixture = new Fixture(database);
    this.ordered = fixture.queue.orderedJobs().orElseThrow();
  }

  /** A committed job. */
  private static final class Job {
    final long id;
    final String key;
    String status = "waiting";
    boolean head;
    long position;

    /** Whether an open transaction has locked or deleted the row. */
    boolean held;

    @Nullable Execution execution;

    Job(long id, String key) {
      this.id = id;
      this.key = key;
      this.position = id;
    }

    @Override
    public String toString() {
      return "%d %s %s%s".formatted(id, key, status, head ? " head" : "");
    }
  }

  /**
   * An open transaction.
   *
   * @param committed changes the model as the commit does
   * @param rolledBack changes it as a rollback does
   */
  private record Open(Connection connection, Runnable committed, Runnable rolledBack) {}

  static LongStream seeds() {
    return LongStream.range(0, Boolean.getBoolean("skipjack.soak") ? 100 : 8);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void keysKeepTheirOrder(long seed) throws SQLException {
    random = new Random(seed);
    try {
      for (int i = 0; i < STEPS; i++) {
        step();
        compare(seed);
      }
      while (!open.isEmpty()) {
        end(true);
      }
      sweep();
      compare(seed);
      for (int key = 0; key < KEYS; key++) {
        String name = "k" + key;
        assertThat(waiting(name).isEmpty() || head(name).isPresent())
            .as("seed %d: key %s has a head: %s", seed, name, jobs.values())
            .isTrue();
      }
    } finally {
      for (Open each : open) {
        each.connection().rollback();
        each.connection().close();
      }
    }
  }

  private void step() throws SQLException {
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> enqueue();
      case 3 -> enqueueInATransaction();
      case 4, 5 -> end(random.nextInt(4) > 0);
      case 6, 7, 8 -> claim();
      case 9 -> complete();
      case 10 -> completeInATransaction();
      case 11 -> fail();
      case 12 -> snoozeOrLose();
      case 13 -> cancel();
      case 14 -> redriveOrPrune();
      default -> sweep();
    }
  }

  private void enqueue() {
    String key = randomKey();
    int count = 1 + random.nextInt(3);
    steps.add("enqueue " + count + " of " + key);
    List<JobId> ids =
        fixture.queue.enqueueAll(Fixture.WORK, works(count), job -> job.orderingKey(key));
    ids.forEach(id -> jobs.put(id.value(), new Job(id.value(), key)));
    promote(key);
  }

  private void enqueueInATransaction() throws SQLException {
    if (open.size() >= MOST_OPEN) {
      return;
    }
    String key = randomKey();
    steps.add("enqueue in a transaction " + key);
    Connection connection = fixture.database.connection();
    connection.setAutoCommit(false);
    List<JobId> ids =
        fixture
            .queue
            .in(connection)
            .enqueueAll(Fixture.WORK, works(2), job -> job.orderingKey(key));
    open.add(
        new Open(
            connection,
            () -> ids.forEach(id -> jobs.put(id.value(), new Job(id.value(), key))),
            () -> {}));
  }

  private void end(boolean commit) throws SQLException {
    if (open.isEmpty()) {
      return;
    }
    Open ended = open.remove(random.nextInt(open.size()));
    steps.add(commit ? "commit" : "rollback");
    try (Connection connection = ended.connection()) {
      if (commit) {
        connection.commit();
        ended.committed().run();
      } else {
        connection.rollback();
        ended.rolledBack().run();
      }
      connection.setAutoCommit(true);
    }
  }

  private void claim() {
    int limit = 1 + random.nextInt(3);
    steps.add("claim " + limit);
    for (ClaimedJob claimed : fixture.claim(limit)) {
      Job job = job(claimed.execution().jobId());
      assertThat(job.status).as("%s after %s", job, steps).isEqualTo("pending");
      assertThat(before(job)).as("jobs before %s after %s", job, steps).isEmpty();
      job.status = "running";
      job.execution = claimed.execution();
    }
  }

  private void complete() {
    any("running")
        .ifPresent(
            job -> {
              steps.add("complete " + job);
              fixture.store.complete(List.of(execution(job)));
              remove(job);
            });
  }

  private void completeInATransaction() throws SQLException {
    Optional<Job> running = any("running");
    if (running.isEmpty() || open.size() >= MOST_OPEN) {
      return;
    }
    Job job = running.get();
    steps.add("complete in a transaction " + job);
    Connection connection = fixture.database.connection();
    connection.setAutoCommit(false);
    fixture.store.completeIn(connection, execution(job));
    Optional<Job> next = waiting(job.key).stream().findFirst();
    job.held = true;
    next.ifPresent(each -> each.held = true);
    open.add(
        new Open(
            connection,
            () -> {
              jobs.remove(job.id);
              next.ifPresent(
                  each -> {
                    each.held = false;
                    each.status = "pending";
                    each.head = true;
                  });
            },
            () -> {
              job.held = false;
              next.ifPresent(each -> each.held = false);
            }));
  }

  private void fail() {
    any("running")
        .ifPresent(
            job -> {
              boolean dies = random.nextBoolean();
              steps.add((dies ? "die " : "fail ") + job);
              Failure failure =
                  new Failure(execution(job), JobError.of("no luck"), Duration.ZERO, true);
              fixture.store.fail(
                  List.of(
                      dies
                          ? failure
                          : new Failure(
                              failure.execution(), failure.error(), failure.delay(), false)));
              boolean dead =
                  fixture.value("SELECT status FROM @jobs WHERE id = " + job.id).equals("dead");
              assertThat(dead || !dies).isTrue();
              job.status = dead ? "dead" : "pending";
              job.execution = null;
            });
  }

  private void snoozeOrLose() {
    any("running")
        .ifPresent(
            job -> {
              boolean lost = random.nextBoolean();
              steps.add((lost ? "lose " : "snooze ") + job);
              if (lost) {
                fixture.execute(
                    "UPDATE @jobs SET max_attempts = 1000, lease_expires_at = now() - interval '1 s'"
                        + " WHERE id = "
                        + job.id);
                assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(1);
              } else {
                fixture.store.requeue(
                    List.of(
                        new Requeue(execution(job), ExecutionStatus.SNOOZED, Duration.ZERO, null)));
              }
              job.status = "pending";
              job.execution = null;
            });
  }

  private void cancel() {
    any(random.nextBoolean() ? "waiting" : "pending")
        .ifPresent(
            job -> {
              steps.add("cancel " + job);
              fixture.queue.admin().cancel(List.of(new JobId(job.id)));
              remove(job);
            });
  }

  private void redriveOrPrune() {
    Optional<Job> dead = any("dead");
    if (dead.isEmpty()) {
      return;
    }
    Job job = dead.get();
    if (random.nextInt(3) == 0) {
      steps.add("prune " + job);
      fixture.queue.admin().prune(List.of(new JobId(job.id)));
      remove(job);
      return;
    }
    if (random.nextInt(3) == 0 && job.head) {
      // The operator skips a dead head.
      fixture.execute("UPDATE @jobs SET ordering_head = NULL WHERE id = " + job.id);
      job.head = false;
    }
    steps.add("redrive " + job);
    assertThat(fixture.queue.admin().redrive(List.of(new JobId(job.id))))
        .containsExactly(new RedriveResult.Redriven());
    if (job.head) {
      job.status = "pending";
    } else {
      job.status = "waiting";
      job.position =
          Long.parseLong(fixture.value("SELECT ordering_position FROM @jobs WHERE id = " + job.id));
      assertThat(job.position)
          .isGreaterThan(
              jobs.values().stream()
                  .filter(each -> each != job && each.key.equals(job.key))
                  .mapToLong(each -> each.position)
                  .max()
                  .orElse(0));
      promote(job.key);
    }
  }

  private void sweep() {
    steps.add("sweep");
    while (ordered.sweep().unfinished()) {
      steps.add("again");
    }
    IntStream.range(0, KEYS).forEach(key -> promote("k" + key));
  }

  /** Records that a job has left the table. */
  private void remove(Job job) {
    jobs.remove(job.id);
    promote(job.key);
  }

  private void promote(String key) {
    if (head(key).isEmpty()) {
      waiting(key).stream()
          .findFirst()
          .ifPresent(
              next -> {
                next.status = "pending";
                next.head = true;
              });
    }
  }

  private Optional<Job> head(String key) {
    return jobs.values().stream().filter(job -> job.head && job.key.equals(key)).findFirst();
  }

  private List<Job> waiting(String key) {
    return jobs.values().stream()
        .filter(job -> job.key.equals(key) && job.status.equals("waiting"))
        .sorted(Comparator.comparingLong(job -> job.position))
        .toList();
  }

  /** Returns the jobs that should have run before {@code job}. */
  private List<Job> before(Job job) {
    return jobs.values().stream()
        .filter(each -> each != job && each.key.equals(job.key))
        .filter(each -> each.head || List.of("pending", "running").contains(each.status))
        .toList();
  }

  private Optional<Job> any(String status) {
    List<Job> candidates =
        jobs.values().stream().filter(job -> job.status.equals(status) && !job.held).toList();
    return candidates.isEmpty()
        ? Optional.empty()
        : Optional.of(candidates.get(random.nextInt(candidates.size())));
  }

  private void compare(long seed) {
    String expected = jobs.values().stream().map(Job::toString).collect(Collectors.joining("\n"));
    assertThat(
            fixture.value(
                "SELECT coalesce(string_agg(concat_ws(' ', id, ordering_key, status, CASE WHEN"
                    + " ordering_head THEN 'head' END), E'\\n' ORDER BY id), '') FROM @jobs"))
        .as("seed %d after %s", seed, steps)
        .isEqualTo(expected);
  }

  private Job job(JobId id) {
    Job job = jobs.get(id.value());
    assertThat(job).as("job %s after %s", id, steps).isNotNull();
    return job;
  }

  private static Execution execution(Job job) {
    return Optional.ofNullable(job.execution).orElseThrow();
  }

  private String randomKey() {
    return "k" + random.nextInt(KEYS);
  }

  private static List<Fixture.Work> works(int count) {
    return IntStream.range(0, count).mapToObj(Fixture.Work::new).toList();
  }
}
