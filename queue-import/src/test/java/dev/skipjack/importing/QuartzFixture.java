package dev.skipjack.importing;

import dev.skipjack.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz with its own tables in the database of a test. */
final class QuartzFixture {

  private QuartzFixture() {}

  /** Creates the tables, or empties them if they exist, which is much faster. */
  static void createTables(QueueDatabase database) throws SQLException, IOException {
    try (InputStream script =
            Objects.requireNonNull(
                Scheduler.class.getResourceAsStream("impl/jdbcjobstore/tables_postgres.sql"));
        Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      boolean exists;
      try (ResultSet row =
          statement.executeQuery("SELECT to_regclass('qrtz_triggers') IS NOT NULL")) {
        exists = row.next() && row.getBoolean(1);
      }
      statement.execute(
          exists
              ? """
              DELETE FROM qrtz_simple_triggers; DELETE FROM qrtz_cron_triggers; DELETE FROM qrtz_triggers;
              DELETE FROM qrtz_job_details; DELETE FROM qrtz_calendars; DELETE FROM qrtz_fired_triggers;
              DELETE FROM qrtz_paused_trigger_grps;
              """
              : new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Opens a scheduler that has not been started. */
  static Scheduler open(DataSource pool, boolean useProperties) throws SchedulerException {
    String name = "pool-" + UUID.randomUUID();
    DBConnectionManager.getInstance().addConnectionProvider(name, new Pooled(pool));
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            StdSchedulerFactory.PROP_SCHED_INSTANCE_NAME,
            name,
            StdSchedulerFactory.PROP_THREAD_POOL_CLASS,
            SimpleThreadPool.class.getName(),
            StdSchedulerFactory.PROP_THREAD_POOL_PREFIX + ".threadCount",
            "4",
            StdSchedulerFactory.PROP_JOB_STORE_CLASS,
            JobStoreTX.class.getName(),
            StdSchedulerFactory.PROP_JOB_STORE_USE_PROP,
            String.valueOf(useProperties),
            StdSchedulerFactory.PROP_JOB_STORE_PREFIX + ".driverDelegateClass",
            PostgreSQLDelegate.class.getName(),
            StdSchedulerFactory.PROP_JOB_STORE_PREFIX + ".dataSource",
            name));
    return new StdSchedulerFactory(properties).getScheduler();
  }

  private record Pooled(DataSource pool) implements ConnectionProvider {

    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void initialize() {}

    /** Does nothing, because the test closes the pool. */
    @Override
    public void shutdown() {}
  }
}
