package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests workers of two releases that run side by side. The later release has changed the payload of
 * a kind.
 */
@QueueTest
@Timeout(60)
class RollingDeployIT {

  /** The payload as the old release writes it. */
  record Named(int number, String name) {}

  /** The payload as the new release writes it. */
  record Titled(int number, String title) {}

  private static final JobType<Named> OLD = JobType.of("greet", Named.class);

  private static final JobType<Titled> NEW =
      JobType.of("greet", Titled.class)
          .payloadVersion(2)
          .upcast((json, version) -> json.replace("\"name\"", "\"title\""));

  /** A kind that only the new release has. */
  private static final JobType<Named> ADDED = JobType.of("added", Named.class);

  /** A kind that only other workers handle. */
  private static final JobType<Named> FOREIGN = JobType.of("foreign", Named.class).priority(9);

  /**
   * A duration longer than the delay for which a worker snoozes a job with a later payload version.
   */
  private static final Duration LEFT_TO_OTHERS = Duration.ofMinutes(1);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final List<String> runs = new CopyOnWriteArrayList<>();
  private final List<Worker> workers = new ArrayList<>();

  RollingDeployIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  @Test
  void everyJobRunsOnceOnAWorkerThatCanReadIt() {
    JobId foreign = queue.enqueue(FOREIGN, new Named(0, "x"));
    Worker before = startOld();
    enqueue(1, 100); // the new producers start before the new workers
    await().until(() -> count("jobs_archive") == 50);
    await().until(() -> count("job_executions WHERE status = 'snoozed'") >= 50);
    assertThat(runs).hasSize(50).allMatch(run -> run.startsWith("old ran v1"));

    startNew();
    enqueue(101, 200);
    queue.enqueueAll(ADDED, List.of(new Named(201, "x"), new Named(202, "x")));
    awaitArchived(202); // both workers serve the queue
    before.stop();
    enqueue(203, 252);
    awaitArchived(252);

    assertThat(runs.stream().map(run -> run.replaceAll(".* ", "")))
        .as("numbers that ran")
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, 252).mapToObj(Integer::toString).toList());
    assertThat(runs).contains("new ran v2 x 101", "new ran v1 x 252", "new ran added x 201");
    assertThat(runs).noneMatch(run -> run.startsWith("old ran v2") || run.contains("null"));
    assertThat(count("job_executions WHERE status = 'succeeded'")).isEqualTo(252);
    assertThat(count("job_executions WHERE status NOT IN ('succeeded', 'snoozed')")).isZero();
    assertThat(count("job_executions WHERE status = 'snoozed' AND worker_id NOT LIKE 'old/%'"))
        .isZero();
    assertThat(count("jobs_archive WHERE attempts - uncounted_attempts <> 1")).isZero();
    assertThat(count("jobs WHERE status = 'pending' AND attempts = 0 AND id = " + foreign))
        .isEqualTo(1);
    assertThat(count("jobs")).isEqualTo(1);
  }

  /** Enqueues even numbers as the old release does, and odd ones as the new release does. */
  private void enqueue(int first, int last) {
    for (int number = first; number <= last; number++) {
      if (isOfTheNew(number)) {
        queue.enqueue(NEW, new Titled(number, "x"));
      } else {
        queue.enqueue(OLD, new Named(number, "x"));
      }
    }
  }

  private static boolean isOfTheNew(int number) {
    return number % 2 != 0;
  }

  private Worker startOld() {
    return start(
        Worker.on(queue)
            .name("old")
            .handle(OLD, (named, context) -> ran("old", named.number(), named.name())));
  }

  private void startNew() {
    start(
        Worker.on(queue)
            .name("new")
            .handle(NEW, (titled, context) -> ran("new", titled.number(), titled.title()))
            .handle(
                ADDED,
                (named, context) -> {
                  runs.add("new ran added %s %d".formatted(named.name(), named.number()));
                  return Outcome.completed();
                }));
  }

  private Outcome ran(String worker, int number, String text) {
    runs.add("%s ran v%d %s %d".formatted(worker, isOfTheNew(number) ? 2 : 1, text, number));
    return Outcome.completed();
  }

  private Worker start(Worker.Builder builder) {
    Worker worker =
        builder
            .queue("default", 4)
            .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(50)).build())
            .start();
    workers.add(worker);
    return worker;
  }

  /**
   * Waits until the jobs are archived. Jobs that the old worker left to others become due again at
   * once, so that either worker may claim them.
   */
  private void awaitArchived(int jobs) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              database.timeTravel(LEFT_TO_OTHERS);
              return count("jobs_archive") == jobs;
            });
  }

  private long count(String from) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT count(*) FROM " + database.schema() + "." + from)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException broken) {
      throw new AssertionError(broken);
    }
  }
}
