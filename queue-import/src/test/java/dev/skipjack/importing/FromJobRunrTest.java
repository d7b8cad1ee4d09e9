package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.junit.jupiter.api.Test;

/** Tests the code of docs/guides/from-another-queue.md. */
@QueueTest
class FromJobRunrTest {

  private final List<String> reminded = new CopyOnWriteArrayList<>();

  void schedule(JobScheduler jobs, Instant due) {
    jobs.<MailService>schedule(due, service -> service.remind("ada", 3));
  }

  // snippet: after
  record Remind(String user, int days) {}

  static final JobType<Remind> REMIND = JobType.of("remind", Remind.class).maxAttempts(11);

  void enqueue(JobQueue queue, Instant due) {
    queue.enqueue(REMIND, new Remind("ada", 3), job -> job.at(due));
  }

  // end of snippet

  // snippet: imported
  /** The arguments of a method are an array. */
  static final JobType<Object[]> CALL = JobType.of("mail-service.remind", Object[].class);

  Worker worker(JobQueue queue) {
    return Worker.on(queue)
        .handle(REMIND, (remind, context) -> remind(remind.user(), remind.days()))
        .handle(CALL, (call, context) -> remind((String) call[0], (int) call[1]))
        .queue("default", 10)
        .build();
  }

  // end of snippet

  private Outcome remind(String user, int days) {
    reminded.add(user + " in " + days);
    return Outcome.completed();
  }

  @Test
  void theCodeBeforeAndAfterDoesTheSame(QueueDatabase database) throws SQLException {
    JobQueue queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    PostgresStorageProvider storage = new PostgresStorageProvider(database.dataSource());
    storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
    schedule(new JobScheduler(storage), Instant.now());
    storage.close();
    enqueue(queue, Instant.now());

    ImportReport report =
        Importer.from(Source.jobRunr("jobrunr_")).into(queue).build().run(database.dataSource());
    try (Worker worker = worker(queue)) {
      worker.runUntilIdle();
    }

    assertThat(report.stayed()).isEmpty();
    assertThat(reminded).containsExactly("ada in 3", "ada in 3");
  }
}
