package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobSchedule;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@QueueTest
class ScheduledHandlersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ApplicationContextRunner contexts;

  ScheduledHandlersTest(QueueDatabase database) {
    this.contexts = Contexts.on(database).withBean(Sessions.class);
  }

  // snippet: schedule
  @Component
  static class Sessions {
    private final JdbcTemplate database;

    Sessions(JdbcTemplate database) {
      this.database = database;
    }

    @JobHandler(kind = "delete-expired-sessions", queue = "nightly", maxAttempts = 3)
    @JobSchedule(cron = "${sessions.delete-at:0 3 * * *}", zone = "Europe/Berlin")
    @Transactional
    public void deleteExpired(JobContext context) {
      // If the job runs late, the planned time still determines which sessions have expired.
      Instant planned = context.scheduledFor().orElseThrow();
      database.update("DELETE FROM sessions WHERE expires_at < ?::timestamptz", planned.toString());
    }
  }

  // end of snippet

  private static Schedules schedules(ApplicationContext context) {
    return context.getBean(JobQueue.class).schedules();
  }

  @Test
  void aScheduledMethodRunsThroughTheProxyOfItsBean(QueueDatabase database) {
    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
    jdbc.execute("DROP TABLE IF EXISTS sessions");
    jdbc.execute("CREATE TABLE sessions (expires_at timestamptz)");
    jdbc.update("INSERT INTO sessions VALUES ('2020-01-01'), ('infinity')");
    contexts.run(
        context -> {
          Schedules schedules = schedules(context);
          await()
              .atMost(PATIENCE)
              .until(() -> schedules.find("delete-expired-sessions").isPresent());
          assertThat(schedules.find("delete-expired-sessions").orElseThrow().timing())
              .isEqualTo(Timing.cron("0 3 * * *").zone("Europe/Berlin"));
          schedules.fireNow("delete-expired-sessions");
          await()
              .atMost(PATIENCE)
              .until(
                  () -> jdbc.queryForObject("SELECT count(*) FROM sessions", Long.class),
                  rows -> rows == 1L);
        });
  }

  static class Interval {
    private final List<String> runs = new CopyOnWriteArrayList<>();

    @JobHandler(kind = "interval")
    @JobSchedule(every = "#{'${interval}' + 'm'}")
    void run() {
      runs.add("run");
    }

    List<String> runs() {
      return runs;
    }
  }

  @Test
  void placeholdersAndExpressionsAreResolved() {
    contexts
        .withBean(Interval.class)
        .withPropertyValues("interval=7", "sessions.delete-at=0 4 * * *")
        .run(
            context -> {
              Schedules schedules = schedules(context);
              await().atMost(PATIENCE).until(() -> schedules.list().size() == 2);
              assertThat(schedules.find("interval").orElseThrow().timing())
                  .isEqualTo(Timing.every(Duration.ofMinutes(7)));
              assertThat(schedules.find("delete-expired-sessions").orElseThrow().timing())
                  .isEqualTo(Timing.cron("0 4 * * *").zone("Europe/Berlin"));
              schedules.fireNow("interval");
              await()
                  .atMost(PATIENCE)
                  .until(() -> context.getBean(Interval.class).runs().size() == 1);
            });
  }

  @Test
  void aDashDisablesASchedule() {
    contexts
        .withBean(Interval.class)
        .withPropertyValues("interval=7", "sessions.delete-at=-")
        .run(
            context -> {
              Schedules schedules = schedules(context);
              await().atMost(PATIENCE).until(() -> schedules.find("interval").isPresent());
              // The worker declares all of its schedules together.
              assertThat(schedules.find("delete-expired-sessions")).isEmpty();
            });
  }

  @Test
  void anInvalidScheduleIsReportedWithItsMethod() {
    contexts
        .withPropertyValues("sessions.delete-at=at night")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(
                        "Sessions.deleteExpired(JobContext) of kind 'delete-expired-sessions' has"
                            + " an invalid schedule."));
  }
}
