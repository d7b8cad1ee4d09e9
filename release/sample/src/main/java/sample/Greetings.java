package sample;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import org.postgresql.ds.PGSimpleDataSource;

/** Migrates a database, enqueues a job and runs it. */
public final class Greetings {

  record Greet(String name) {}

  private static final JobType<Greet> GREET = JobType.of("greet", Greet.class);

  private Greetings() {}

  /**
   * Prints where the queue comes from, the number of migrations, the greeting and the job's status.
   *
   * @param args none
   */
  public static void main(String[] args) {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("release-sample").fresh(true).start()) {
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(server.jdbcUrl("postgres"));
      dataSource.setUser(server.user());
      System.out.println("module " + JobQueue.class.getModule().getName());
      System.out.println(
          "from " + JobQueue.class.getProtectionDomain().getCodeSource().getLocation());
      System.out.println("migrations " + Migrations.migrate(dataSource));
      JobQueue queue = JobQueue.on(dataSource);
      JobId job = queue.enqueue(GREET, new Greet("sample"));
      try (Worker worker =
          Worker.on(queue)
              .queue("default", 1)
              .handle(
                  GREET,
                  (greet, context) -> {
                    System.out.println("hello " + greet.name());
                    return Outcome.completed();
                  })
              .build()) {
        worker.runUntilIdle();
      }
      System.out.println("job " + queue.reader().find(job).orElseThrow().summary().status());
    }
  }
}
