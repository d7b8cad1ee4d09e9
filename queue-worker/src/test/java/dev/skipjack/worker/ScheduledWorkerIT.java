package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerEvent.ScheduleFailed;
import dev.skipjack.worker.WorkerEvent.ScheduleUndeclared;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests workers that fire schedules in PostgreSQL. */
@QueueTest
@Timeout(60)
class ScheduledWorkerIT {

  record Tick(String of) {}

  private static final JobType<Tick> TICK = JobType.of("tick", Tick.class);
  private static final Duration RARELY = Duration.ofDays(365);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Instant> planned = new CopyOnWriteArrayList<>();
  private final List<String> ran = new CopyOnWriteArrayList<>();

  ScheduledWorkerIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  private Worker start(JobQueue on, Schedule... schedules) {
    Worker.Builder builder =
        Worker.on(on)
            .handle(
                TICK,
                (tick, context) -> {
                  context.scheduledFor().ifPresent(planned::add);
                  ran.add(tick.of() + " of " + context.schedule().orElse("none"));
                  return Outcome.completed();
                })
            .queue("default", 2)
            .listener(events);
    for (Schedule schedule : schedules) {
      builder.schedule(schedule);
    }
    Worker worker = builder.build();
    workers.add(worker);
    return worker.start();
  }

  private static Schedule every(Duration interval, String name) {
    return Schedule.every(interval).named(name).enqueue(TICK, new Tick("fixed"));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", database.schema() + "."));
    }
  }

  @Test
  void threeWorkersFireEachSecondOnceAndHandlersSeeThePlannedTime() {
    Schedule second = every(Duration.ofSeconds(1), "second").missed(Missed.all(100));
    for (int i = 0; i < 3; i++) {
      start(queue, second);
    }

    await().until(() -> planned.size() >= 4);
    workers.forEach(Worker::close);

    List<Instant> sorted = planned.stream().sorted().toList();
    for (int i = 1; i < sorted.size(); i++) {
      assertThat(sorted.get(i)).isEqualTo(sorted.get(i - 1).plusSeconds(1));
    }
    assertThat(ran).containsOnly("fixed of second");
  }

  /** The worker's next announcement would find the schedule too, but up to a minute later. */
  @Test
  void aScheduleThatIsAddedAtRunTimeWakesWorkers() {
    start(queue);
    await().until(() -> !queue.reader().workers().isEmpty());

    queue.schedules().add(every(Duration.ofSeconds(1), "added"));

    await().atMost(Duration.ofSeconds(60)).until(() -> ran.contains("fixed of added"));
  }

  @Test
  void aRequestedFireOfAFunctionIsServedByTheWorkerThatDeclaredIt() {
    start(queue);
    start(
        queue,
        Schedule.every(RARELY)
            .named("made")
            .enqueueFrom(TICK, fire -> new Tick("made for " + fire)));
    await().until(() -> queue.schedules().find("made").isPresent());

    queue.schedules().fireNow("made");

    await().until(() -> planned.size() == 1);
    assertThat(ran).containsExactly("made for " + planned.get(0) + " of made");
  }

  @Test
  void aFunctionThatThrowsIsReportedAndOtherSchedulesFire() {
    Schedule broken =
        Schedule.every(Duration.ofSeconds(1))
            .named("broken")
            .enqueueFrom(
                TICK,
                fire -> {
                  throw new IllegalStateException("no tick");
                });
    start(queue, broken, every(Duration.ofSeconds(1), "sound"));

    await()
        .until(() -> ran.contains("fixed of sound") && !events.all(ScheduleFailed.class).isEmpty());

    assertThat(events.all(ScheduleFailed.class).get(0))
        .satisfies(
            failed -> {
              assertThat(failed.schedule()).isEqualTo("broken");
              assertThat(failed.error()).hasMessage("no tick");
              assertThat(failed.retryIn()).isPositive();
            });
    assertThat(Objects.requireNonNull(queue.schedules().find("broken").orElseThrow().failure()))
        .satisfies(failure -> assertThat(failure.error()).contains("no tick"));
  }

  @Test
  void aFunctionThatHangsOrThrowsAnErrorStopsNeitherOtherSchedulesNorTheWorkersRow()
      throws SQLException {
    CountDownLatch released = new CountDownLatch(1);
    Schedule hanging =
        Schedule.every(Duration.ofSeconds(1))
            .named("hanging")
            .enqueueFrom(
                TICK,
                fire -> {
                  for (boolean over = false; !over; ) {
                    try {
                      released.await();
                      over = true;
                    } catch (InterruptedException ignored) {
                      // like code that swallows exceptions
                    }
                  }
                  return new Tick("late");
                });
    Schedule failing =
        Schedule.every(Duration.ofSeconds(1))
            .named("failing")
            .enqueueFrom(
                TICK,
                fire -> {
                  throw new AssertionError("not written yet");
                });
    Worker worker = start(queue, hanging, failing, every(Duration.ofSeconds(1), "sound"));

    await().until(() -> planned.size() >= 4 && !events.all(ScheduleFailed.class).isEmpty());

    assertThat(ran).containsOnly("fixed of sound");
    assertThat(events.all(ScheduleFailed.class))
        .extracting(ScheduleFailed::schedule)
        .containsOnly("failing");
    assertThat(worker.health().ready()).isTrue();
    assertThat(queue.reader().workers()).hasSize(1);
    assertThat(WorkerFixture.threads("queue-" + worker.id().name()))
        .filteredOn(name -> name.contains("schedule-code"))
        .hasSizeLessThanOrEqualTo(2);
    released.countDown();
    await().until(() -> ran.contains("late of hanging"));
  }

  @Test
  void aRowThatCannotBeReadIsReportedAndLeavesTheWorkerReady() throws SQLException {
    execute("ALTER DOMAIN @job_schedule_time DROP CONSTRAINT job_schedule_time_check");
    queue.schedules().declare(every(Duration.ofSeconds(1), "odd"));
    execute("UPDATE @job_schedules SET next_at = '-infinity', due_at = '-infinity'");

    Worker worker = start(queue, every(Duration.ofSeconds(1), "sound"));

    await().until(() -> ran.size() >= 2 && !events.all(ScheduleFailed.class).isEmpty());
    assertThat(ran).containsOnly("fixed of sound");
    assertThat(events.all(ScheduleFailed.class))
        .extracting(ScheduleFailed::schedule)
        .containsOnly("odd");
    assertThat(worker.health().ready()).isTrue();
    queue.schedules().remove("odd");
  }

  @Test
  void aScheduleThatNoProgramDeclaresAnyMoreIsReportedOnce() throws SQLException {
    queue.schedules().declare(every(Duration.ofSeconds(1), "forgotten"));
    execute("UPDATE @job_schedules SET declared_at = now() - interval '8 days'");

    start(queue);

    await().until(() -> ran.size() >= 2);
    assertThat(events.all(ScheduleUndeclared.class))
        .extracting(each -> each.schedule() + " " + each.needsCode())
        .containsExactly("forgotten false");
    assertThat(queue.schedules().list().get(0).isUndeclared()).isTrue();
    assertThat(queue.schedules().retire("forgotten")).isTrue();
  }

  @Test
  void aDueScheduleWhoseCodeNoProgramHasAnyMoreIsReported() throws SQLException {
    queue
        .schedules()
        .declare(Schedule.every(RARELY).named("lost").enqueueFrom(TICK, fire -> new Tick("made")));
    execute(
        "UPDATE @job_schedules SET declared_at = now() - interval '8 days', next_at = now(), due_at = now()");

    start(queue);

    await().until(() -> !events.all(ScheduleUndeclared.class).isEmpty());
    assertThat(events.all(ScheduleUndeclared.class))
        .extracting(each -> each.schedule() + " " + each.needsCode())
        .containsExactly("lost true");
    assertThat(ran).isEmpty();
  }

  @Test
  void aWorkerInADatabaseWithoutSchedulesHasNoStatementAndNoThreadForThem() {
    List<String> statements = new CopyOnWriteArrayList<>();
    JobQueue spied =
        JobQueue.builder(spy(database.dataSource(), statements)).schema(database.schema()).build();
    Worker worker = start(spied);
    queue.enqueue(TICK, new Tick("plain"));

    await().until(() -> !events.all(Succeeded.class).isEmpty());
    await().until(() -> !queue.reader().workers().isEmpty());
    List<String> threads = WorkerFixture.threads("queue-" + worker.id().name());
    worker.stop();

    assertThat(statements).anyMatch(sql -> sql.contains("job_workers"));
    assertThat(statements)
        .filteredOn(sql -> sql.contains("job_schedules"))
        .allMatch(sql -> sql.contains("insert into \"" + database.schema() + "\".\"job_workers\""));
    assertThat(threads).isNotEmpty().noneMatch(name -> name.contains("schedul"));
    assertThat(ran).containsExactly("plain of none");
  }

  @Test
  void twoSchedulesOfOneNameAreRefused() {
    Worker.Builder builder = Worker.on(queue).schedule(every(RARELY, "same"));

    assertThatThrownBy(() -> builder.schedule(every(RARELY, "same")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule 'same' was already added");
  }

  @Test
  void aPayloadThatCannotBeStoredIsRefusedBeforeTheWorkerStarts() {
    Schedule large =
        Schedule.every(RARELY).named("large").enqueue(TICK, new Tick("x".repeat(300_000)));

    assertThatThrownBy(() -> Worker.on(queue).schedule(large)).isInstanceOf(PayloadException.class);
  }

  private static DataSource spy(DataSource dataSource, List<String> statements) {
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Object result = invoke(dataSource, method, arguments);
          return result instanceof Connection connection
              ? proxy(
                  Connection.class,
                  (it, called, given) -> {
                    if (called.getName().equals("prepareStatement")) {
                      statements.add((String) given[0]);
                    }
                    return invoke(connection, called, given);
                  })
              : result;
        });
  }

  private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw Objects.requireNonNullElse(thrown.getCause(), thrown);
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
