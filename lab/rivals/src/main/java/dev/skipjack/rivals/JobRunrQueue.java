package dev.skipjack.rivals;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProviderUtils.DatabaseOptions;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr's free edition with the shortest poll interval that it allows and its default number of
 * workers. A worker that becomes free fetches more jobs without waiting for the next poll.
 */
final class JobRunrQueue extends OtherQueue {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

  JobRunrQueue(BenchmarkDatabase database) {
    super(
        database,
        "jobrunr",
        List.of("jobrunr_jobs", "jobrunr_backgroundjobservers"),
        threads() + 8);
  }

  @Override
  public String name() {
    return "jobrunr";
  }

  @Override
  public String setup() {
    return "%s, free edition, %d threads, poll interval %d s"
        .formatted(library(JobRunr.class), threads(), POLL_INTERVAL.toSeconds());
  }

  /** Returns the library's default number of worker threads. */
  private static int threads() {
    return Runtime.getRuntime().availableProcessors() * 8;
  }

  @Override
  public String wakeUp() {
    return "poll, " + POLL_INTERVAL.toSeconds() + " s";
  }

  @Override
  public String history() {
    return "row, 36 h";
  }

  @Override
  public boolean takesPart(Phase phase) {
    return true;
  }

  @Override
  public double pace() {
    return 500;
  }

  @Override
  public void create() throws SQLException {
    createSchema();
    new PostgresStorageProvider(pool(), DatabaseOptions.CREATE).close();
  }

  @Override
  public long unfinished() throws SQLException {
    return database()
        .number("SELECT count(*) FROM " + schema() + ".jobrunr_jobs WHERE state <> 'SUCCEEDED'");
  }

  @Override
  public Session open(DataSource pool, @Nullable Starts starts) {
    JobRunrConfiguration configuration =
        JobRunr.configure()
            .useStorageProvider(new PostgresStorageProvider(pool, DatabaseOptions.SKIP_CREATE));
    if (starts != null) {
      JobRunrJob.Handler runs = new JobRunrJob.Handler(starts);
      configuration
          .useJobActivator(
              new JobActivator() {
                @Override
                public <T> T activateJob(Class<T> type) {
                  return type.cast(runs);
                }
              })
          .useBackgroundJobServer(
              usingStandardBackgroundJobServerConfiguration()
                  .andWorkerCount(threads())
                  .andPollInterval(POLL_INTERVAL));
    }
    return new Running(configuration.initialize().getJobRequestScheduler());
  }

  private record Running(JobRequestScheduler scheduler) implements Session {

    @Override
    public void enqueue(long n) {
      scheduler.enqueue(JobRunrJob.number(n));
    }

    @Override
    public void enqueueAll(long jobs) {
      scheduler.enqueue(LongStream.rangeClosed(1, jobs).<JobRequest>mapToObj(JobRunrJob::number));
    }

    @Override
    public void close() {
      JobRunr.destroy();
    }
  }
}
