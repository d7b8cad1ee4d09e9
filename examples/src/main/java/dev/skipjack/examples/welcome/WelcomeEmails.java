package dev.skipjack.examples.welcome;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * A new user gets an email. The job commits with the user's row, so neither exists without the
 * other.
 *
 * <p>What goes wrong: the mail server refuses the first attempt, and the job is retried.
 */
public final class WelcomeEmails {

  private final DSLContext db;
  private final JobQueue queue;
  private final Mailer mailer;

  WelcomeEmails(DataSource dataSource, Mailer mailer) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
    this.queue = JobQueue.on(dataSource);
    this.mailer = mailer;
  }

  record SendWelcome(long userId, String locale) {}

  static final JobType<SendWelcome> SEND_WELCOME =
      JobType.of("send-welcome", SendWelcome.class)
          .onQueue("emails")
          .maxAttempts(8)
          .retry(Backoff.exponential(Duration.ofSeconds(1)).jitter(0.3));

  /** The user's row and the job commit together, or neither does. */
  JobId signUp(String email, String locale) {
    return db.transactionResult(
        tx -> {
          long userId = insertUser(tx.dsl(), email);
          return queue.in(tx.dsl()).enqueue(SEND_WELCOME, new SendWelcome(userId, locale));
        });
  }

  /** If this method throws, the attempt fails and the job is retried after its type's backoff. */
  Outcome send(SendWelcome job, JobContext context) throws IOException {
    String email = emailOf(job.userId());
    if (email == null) {
      return Outcome.dead("User %d has no row".formatted(job.userId()));
    }
    mailer.welcome(email, job.locale());
    return Outcome.completed();
  }

  /** Sends up to 20 emails at a time. When closed, it waits up to 25 s for running handlers. */
  Worker.Builder worker() {
    return Worker.on(queue).handle(SEND_WELCOME, this::send).queue("emails", 20);
  }

  private static long insertUser(DSLContext db, String email) {
    return db.fetchSingle("INSERT INTO app_users (email) VALUES (?) RETURNING id", email)
        .get(0, Long.class);
  }

  private @Nullable String emailOf(long userId) {
    var row = db.fetchOptional("SELECT email FROM app_users WHERE id = ?", userId);
    return row.map(found -> found.get(0, String.class)).orElse(null);
  }

  static void createTables(DataSource dataSource) {
    DSL.using(dataSource, SQLDialect.POSTGRES)
        .execute(
            """
            CREATE TABLE IF NOT EXISTS app_users (
              id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              email text NOT NULL UNIQUE)
            """);
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static JobId run(DataSource dataSource, PrintStream out) throws InterruptedException {
    createTables(dataSource);
    AtomicInteger calls = new AtomicInteger();
    Mailer busyAtFirst =
        (address, locale) -> {
          if (calls.incrementAndGet() == 1) {
            throw new IOException("452 mail server busy");
          }
          out.printf("mail to %s (%s)%n", address, locale);
        };
    WelcomeEmails emails = new WelcomeEmails(dataSource, busyAtFirst);
    CountDownLatch completed = new CountDownLatch(1);
    JobId job = emails.signUp("ada-" + System.nanoTime() + "@example.org", "en");
    try (Worker worker =
        emails
            .worker()
            .listener(
                event -> {
                  if (event instanceof WorkerEvent.Failed failed) {
                    out.printf("failed: %s%n", failed.error().message());
                  } else if (event instanceof WorkerEvent.Succeeded done
                      && done.attempt().jobId().equals(job)) {
                    completed.countDown();
                  }
                })
            .start()) {
      out.printf("signed up, job %s waits for worker %s%n", job, worker.id());
      if (!completed.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("Job %s did not complete in 30 s.".formatted(job));
      }
    }
    ExampleDatabase.audit(dataSource, job).forEach(out::println);
    return job;
  }
}
