package dev.skipjack.rivals;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.skipjack.benchmarks.BenchmarkDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler with the polling strategy that its documentation recommends for more than 1,000
 * executions per second. The limits are those of its faster published benchmark on a small server.
 */
final class DbScheduler extends OtherQueue {

  static final String NAME = "db-scheduler";

  private static final int THREADS = 20;
  private static final double LOWER_LIMIT = 4.0;
  private static final double UPPER_LIMIT = 20.0;
  private static final Duration POLLING_INTERVAL = Duration.ofMillis(100);
  private static final int BATCH = 1_000;

  private static final TaskDescriptor<Payload> TASK = TaskDescriptor.of("noop", Payload.class);

  private final boolean immediate;

  private DbScheduler(BenchmarkDatabase database, boolean immediate) {
    super(
        database,
        immediate ? "db_scheduler" : "db_scheduler_polling",
        List.of("scheduled_tasks"),
        THREADS + 4);
    this.immediate = immediate;
  }

  /** Uses immediate execution: an enqueue wakes the scheduler in the same process. */
  static DbScheduler immediate(BenchmarkDatabase database) {
    return new DbScheduler(database, true);
  }

  /** Uses polling only, which is necessary if another process enqueues. */
  static DbScheduler polling(BenchmarkDatabase database) {
    return new DbScheduler(database, false);
  }

  @Override
  public String name() {
    return immediate ? NAME : NAME + " polling";
  }

  @Override
  public String setup() {
    return "%s, lock-and-fetch %s to %s, %d threads, %s, polling interval %d ms"
        .formatted(
            library(Scheduler.class),
            LOWER_LIMIT,
            UPPER_LIMIT,
            THREADS,
            immediate ? "immediate execution" : "no immediate execution",
            POLLING_INTERVAL.toMillis());
  }

  @Override
  public String wakeUp() {
    return immediate ? "in memory, same process" : "poll, " + POLLING_INTERVAL.toMillis() + " ms";
  }

  @Override
  public String history() {
    return "none";
  }

  @Override
  public boolean takesPart(Phase phase) {
    return immediate || phase == Phase.PICKUP || phase == Phase.STEADY;
  }

  @Override
  public double pace() {
    return 4_000;
  }

  /**
   * Creates the table and the indexes of the library's PostgreSQL script (16.x), except for the
   * index on priorities, which would only cost time: no job here has a priority.
   */
  @Override
  public void create() throws SQLException {
    createSchema();
    String table = schema() + ".scheduled_tasks";
    database()
        .execute(
            "CREATE TABLE "
                + table
                + " (task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,"
                + " execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,"
                + " last_success timestamptz, last_failure timestamptz, consecutive_failures int,"
                + " last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,"
                + " PRIMARY KEY (task_name, task_instance))",
            "CREATE INDEX ON " + table + " (execution_time)",
            "CREATE INDEX ON " + table + " (last_heartbeat)");
  }

  @Override
  public long unfinished() throws SQLException {
    return database().number("SELECT count(*) FROM " + schema() + ".scheduled_tasks");
  }

  @Override
  public Session open(DataSource pool, @Nullable Starts starts) {
    OneTimeTask<Payload> task =
        Tasks.oneTime(TASK)
            .execute(
                (instance, context) -> {
                  if (starts != null) {
                    starts.add(instance.getData().n());
                  }
                });
    if (starts == null) {
      return new Running(SchedulerClient.Builder.create(pool, task).build(), null);
    }
    SchedulerBuilder builder =
        Scheduler.create(pool, task)
            .threads(THREADS)
            .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
            .pollingInterval(POLLING_INTERVAL);
    if (immediate) {
      builder.enableImmediateExecution();
    }
    Scheduler scheduler = builder.build();
    scheduler.start();
    return new Running(scheduler, scheduler);
  }

  private record Running(SchedulerClient client, @Nullable Scheduler scheduler) implements Session {

    @Override
    public void enqueue(long n) {
      client.scheduleIfNotExists(job(n));
    }

    @Override
    public void enqueueAll(long jobs) {
      List<SchedulableInstance<?>> batch = new ArrayList<>(BATCH);
      for (long n = 1; n <= jobs; n++) {
        batch.add(job(n));
        if (batch.size() == BATCH || n == jobs) {
          client.scheduleBatch(batch);
          batch.clear();
        }
      }
    }

    private static SchedulableInstance<Payload> job(long n) {
      return TASK.instance(String.valueOf(n)).data(Payload.number(n)).scheduledTo(Instant.now());
    }

    @Override
    public void close() {
      if (scheduler != null) {
        scheduler.stop();
      }
    }
  }
}
