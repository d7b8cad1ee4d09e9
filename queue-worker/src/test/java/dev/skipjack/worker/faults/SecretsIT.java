package dev.skipjack.worker.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.FailureLog;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerMeter;
import dev.skipjack.worker.WorkerMetrics;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Tests that the content of a payload appears only in the handler, and not in logs, tags,
 * notifications or thread names.
 */
@QueueTest
@Timeout(60)
class SecretsIT {

  private static final String CANARY = "canary-4711-4711";

  record Secret(String password) {}

  private static final JobType<Secret> TYPE =
      JobType.of("secret", Secret.class).maxAttempts(2).retry(Backoff.fixed(Duration.ZERO));

  private final List<String> seen = new CopyOnWriteArrayList<>();

  @Test
  void aPayloadAndAnExceptionThatQuotesItAreNotDisclosed(QueueDatabase database) throws Exception {
    JobQueue queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Connection listening = database.connection();
        Worker worker =
            Worker.on(queue)
                .handle(
                    TYPE,
                    (secret, context) -> {
                      Thread.getAllStackTraces().keySet().forEach(t -> seen.add(t.getName()));
                      context.progress(50, "half");
                      if (secret.password().endsWith("bad")) {
                        throw new IllegalStateException("cannot log in with " + secret);
                      }
                      return Outcome.completed();
                    })
                .queue("default", 2)
                .metrics(new Tags())
                .failureLog(FailureLog.standard().classOnly())
                .listener(event -> seen.add(event.toString()))
                .start()) {
      String channel = listen(listening, database);
      queue.enqueue(TYPE, new Secret(CANARY));
      queue.enqueue(TYPE, new Secret(CANARY + "bad"));
      await().until(() -> queue.reader().deadLetters().size() == 1);
      for (PGNotification heard : listening.unwrap(PGConnection.class).getNotifications(1_000)) {
        seen.add(channel + heard.getParameter());
      }
      assertThat(worker.status().started()).isTrue();
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(UTF_8)).contains("Job is dead").doesNotContain(CANARY);
    assertThat(seen)
        .isNotEmpty()
        // Listeners may receive the error itself, because it is also stored in the job's row.
        .filteredOn(text -> !text.startsWith("Failed[") && !text.startsWith("Dead["))
        .noneMatch(text -> text.contains(CANARY));
  }

  /** The detail of a database error quotes the rejected row, including its payload. */
  @Test
  void errorsOfTheDatabaseAreLoggedWithoutTheRowsThatTheyQuote(QueueDatabase database)
      throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    JobQueue queue = fixture.queue();
    fixture.execute(
        "ALTER TABLE @jobs ADD CONSTRAINT none_comes_back CHECK (status <> 'pending' OR attempts ="
            + " 0)");
    queue.enqueue(TYPE, new Secret(CANARY + "rescued"));
    assertThat(queue.store().claim(lostAtOnce())).hasSize(1);
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Worker worker =
        Worker.on(queue)
            .handle(TYPE, (secret, context) -> Outcome.retry(Duration.ZERO, "not now"))
            .queue("default", 2)
            .config(
                WorkerConfig.builder()
                    .pollInterval(Duration.ofMillis(100))
                    .rescueInterval(Duration.ofMillis(200))
                    .build())
            .listener(event -> seen.add(event.toString()))
            .start()) {
      queue.enqueue(TYPE, new Secret(CANARY + "refused"));
      awaitLine(log, "Job could not be rescued");
      awaitLine(log, "Outcomes rejected");
      fixture.execute(
          "ALTER TABLE @jobs ADD CONSTRAINT none_starts CHECK (status <> 'running') NOT VALID");
      queue.enqueue(TYPE, new Secret(CANARY + "unclaimed"));
      awaitLine(log, "Worker loop failed");
      // Allows the worker to write its outcomes, for which its stop waits.
      fixture.execute(
          "ALTER TABLE @jobs DROP CONSTRAINT none_comes_back, DROP CONSTRAINT none_starts");
      assertThat(worker.status().started()).isTrue();
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(UTF_8)).contains("23514").doesNotContain(CANARY);
    assertThat(seen).isNotEmpty().noneMatch(text -> text.contains(CANARY));
  }

  private static ClaimRequest lostAtOnce() {
    return new ClaimRequest(
        WorkerId.boot("gone"),
        List.of(new LaneShare(new Lane("default", 0), 1, null)),
        List.of(TYPE.kind()),
        1,
        Duration.ofNanos(1_000));
  }

  private static void awaitLine(ByteArrayOutputStream log, String line) {
    await().atMost(FaultFixture.PATIENCE).until(() -> log.toString(UTF_8).contains(line));
  }

  /** With the redactor, even the errors that are shown to operators do not contain the secret. */
  @Test
  void aRedactorKeepsASecretOutOfStoredAndReportedErrors(QueueDatabase database) throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    JobQueue queue = fixture.queue();
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Connection listening = database.connection();
        Worker worker =
            Worker.on(queue)
                .handle(TYPE, SecretsIT::quote)
                .queue("default", 2)
                .metrics(new Tags())
                .redactor(text -> text.replace(CANARY, "***"))
                .failureLog(FailureLog.standard().withStack())
                .listener(event -> seen.add(event.toString()))
                .start()) {
      String channel = listen(listening, database);
      for (String how : List.of("thrown", "dead", "cancelled", "completed")) {
        queue.enqueue(TYPE, new Secret(CANARY + how));
      }
      await().until(() -> queue.reader().deadLetters().size() == 2);
      await().until(() -> fixture.count("jobs_archive") == 2);
      Thread.getAllStackTraces().keySet().forEach(thread -> seen.add(thread.getName()));
      for (PGNotification heard : listening.unwrap(PGConnection.class).getNotifications(1_000)) {
        seen.add(channel + heard.getParameter());
      }
      queue.reader().deadLetters().forEach(group -> seen.add(group.toString()));
      assertThat(worker.status().started()).isTrue();
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(UTF_8))
        .contains("Job is dead")
        .contains("message=\"cannot log in with Secret[password=***thrown]\"")
        .contains("Caused by: java.lang.IllegalArgumentException: ***thrown")
        .contains("reason=\"nobody likes Secret[password=***dead]\"")
        .doesNotContain(CANARY);
    assertThat(seen)
        .anyMatch(text -> text.startsWith("Dead["))
        .anyMatch(text -> text.contains("***"))
        .noneMatch(text -> text.contains(CANARY));
    assertThat(fixture.count("job_executions WHERE error_message LIKE '%***%'")).isEqualTo(4);
    assertThat(fixture.count("job_executions e WHERE e::text LIKE '%" + CANARY + "%'")).isZero();
    assertThat(fixture.count("jobs WHERE last_error LIKE '%" + CANARY + "%'")).isZero();
    assertThat(fixture.count("jobs_archive WHERE last_error LIKE '%" + CANARY + "%'")).isZero();
  }

  private static Outcome quote(Secret secret, JobContext context) {
    if (secret.password().endsWith("thrown")) {
      throw new IllegalStateException(
          "cannot log in with " + secret, new IllegalArgumentException(secret.password()));
    } else if (secret.password().endsWith("dead")) {
      return Outcome.dead("nobody likes " + secret);
    } else if (secret.password().endsWith("cancelled")) {
      return Outcome.cancelled("nobody wants " + secret);
    }
    return Outcome.completed();
  }

  private static String listen(Connection connection, QueueDatabase database) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "SELECT 'skipjack_' || left(encode(sha256(convert_to('%s', 'UTF8')), 'hex'), 16)"
                    .formatted(database.schema()))) {
      row.next();
      String channel = row.getString(1);
      statement.execute("LISTEN " + channel);
      return channel;
    }
  }

  private final class Tags implements WorkerMetrics {

    @Override
    public void count(WorkerMeter counter, String queue, String kind) {
      seen.add(counter.meterName() + queue + kind);
    }

    @Override
    public void count(WorkerMeter counter, long times, String worker) {
      seen.add(counter.meterName() + worker);
    }

    @Override
    public void record(WorkerMeter timer, Duration took, String queue, String kind) {
      seen.add(timer.meterName() + queue + kind);
    }

    @Override
    public void record(WorkerMeter timer, Duration took, String worker) {
      seen.add(timer.meterName() + worker);
    }

    @Override
    public Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value) {
      return () -> {};
    }
  }
}
