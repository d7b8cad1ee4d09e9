package dev.skipjack.examples.first;

// snippet: first-job
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;

public class FirstJob {

  record SendWelcome(String email) {}

  static final JobType<SendWelcome> SEND_WELCOME = JobType.of("send-welcome", SendWelcome.class);

  static Outcome send(SendWelcome job) {
    System.out.println("Welcome, " + job.email());
    return Outcome.completed(); // an exception would fail the attempt, and it would be retried
  }

  public static void main(String[] args) {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(args[0]);
    Migrations.migrate(database); // creates the tables in the schema skipjack
    JobQueue queue = JobQueue.on(database);
    Worker worker =
        Worker.on(queue)
            .handle(SEND_WELCOME, (job, context) -> send(job))
            .queue("default", 5)
            .build();

    queue.enqueue(SEND_WELCOME, new SendWelcome("ada@example.org"));
    worker.start(); // runs up to five jobs at a time until worker.close()
  }
}
// end of snippet
