package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz in cluster mode, with batches of triggers as large as the thread pool. It runs in cluster
 * mode because every other contender can run in several processes. Each job is a trigger of one
 * durable job, which saves a row per job.
 */
final class QuartzQueue extends OtherQueue {

  private static final int THREADS = 20;
  private static final String NAME = "bench";
  private static final JobKey JOB = JobKey.jobKey("noop");

  QuartzQueue(BenchmarkDatabase database) {
    super(
        database,
        "quartz",
        List.of("qrtz_fired_triggers", "qrtz_simple_triggers", "qrtz_triggers"),
        // Its documentation recommends a connection for each thread, and three for the scheduler
        // itself.
        THREADS + 3);
  }

  @Override
  public String name() {
    return "quartz";
  }

  @Override
  public String setup() {
    return "%s, JobStoreTX, clustered, %d threads, batches of %d triggers"
        .formatted(library(Scheduler.class), THREADS, THREADS);
  }

  @Override
  public String wakeUp() {
    return "in memory, same process";
  }

  @Override
  public String history() {
    return "none";
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
  public void create() throws IOException, SQLException, SchedulerException {
    createSchema();
    DataSource pool = pool();
    try (InputStream script =
            Objects.requireNonNull(
                Scheduler.class.getResourceAsStream("impl/jdbcjobstore/tables_postgres.sql"));
        Connection connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
    Scheduler scheduler = scheduler(pool);
    scheduler.addJob(
        JobBuilder.newJob(QuartzJob.class).withIdentity(JOB).storeDurably().build(), true);
    scheduler.shutdown();
  }

  @Override
  public long unfinished() throws SQLException {
    return database()
        .number(
            "SELECT (SELECT count(*) FROM %1$s.qrtz_triggers) + (SELECT count(*) FROM %1$s.qrtz_fired_triggers)"
                .formatted(schema()));
  }

  @Override
  public Session open(DataSource pool, @Nullable Starts starts) throws SchedulerException {
    Scheduler scheduler = scheduler(pool);
    if (starts != null) {
      QuartzJob job = new QuartzJob(starts);
      scheduler.setJobFactory((bundle, caller) -> job);
      scheduler.start();
    }
    return new Running(scheduler);
  }

  private static Scheduler scheduler(DataSource pool) throws SchedulerException {
    DBConnectionManager.getInstance().addConnectionProvider(NAME, new Pooled(pool));
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            StdSchedulerFactory.PROP_SCHED_INSTANCE_NAME,
            NAME,
            StdSchedulerFactory.PROP_SCHED_INSTANCE_ID,
            "AUTO",
            StdSchedulerFactory.PROP_SCHED_MAX_BATCH_SIZE,
            String.valueOf(THREADS),
            StdSchedulerFactory.PROP_THREAD_POOL_CLASS,
            SimpleThreadPool.class.getName(),
            StdSchedulerFactory.PROP_THREAD_POOL_PREFIX + ".threadCount",
            String.valueOf(THREADS)));
    String store = StdSchedulerFactory.PROP_JOB_STORE_PREFIX;
    properties.putAll(
        Map.of(
            StdSchedulerFactory.PROP_JOB_STORE_CLASS,
            JobStoreTX.class.getName(),
            StdSchedulerFactory.PROP_JOB_STORE_USE_PROP,
            "true",
            store + ".driverDelegateClass",
            PostgreSQLDelegate.class.getName(),
            store + ".dataSource",
            NAME,
            store + ".isClustered",
            "true",
            store + ".acquireTriggersWithinLock",
            "true"));
    return new StdSchedulerFactory(properties).getScheduler();
  }

  private record Pooled(DataSource pool) implements ConnectionProvider {

    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void initialize() {}

    /** Does nothing, because the pool outlives the scheduler. */
    @Override
    public void shutdown() {}
  }

  private record Running(Scheduler scheduler) implements Session {

    @Override
    public void enqueue(long n) throws SchedulerException {
      scheduler.scheduleJob(trigger(n));
    }

    /**
     * Quartz's bulk call needs a separate job for each trigger, so scheduling the triggers one by
     * one is faster.
     */
    @Override
    public void enqueueAll(long jobs) throws SchedulerException {
      for (long n = 1; n <= jobs; n++) {
        enqueue(n);
      }
    }

    private static Trigger trigger(long n) {
      Payload payload = Payload.number(n);
      JobDataMap data = new JobDataMap();
      data.put(QuartzJob.NUMBER, String.valueOf(payload.n()));
      data.put(QuartzJob.TEXT, payload.text());
      return TriggerBuilder.newTrigger()
          .withIdentity(String.valueOf(n))
          .forJob(JOB)
          .usingJobData(data)
          .startNow()
          .build();
    }

    @Override
    public void close() {
      try {
        scheduler.shutdown(true);
      } catch (SchedulerException failed) {
        throw new IllegalStateException("Quartz did not stop.", failed);
      }
    }
  }
}
