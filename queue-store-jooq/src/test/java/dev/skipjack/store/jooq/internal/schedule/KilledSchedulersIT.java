package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.REPORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Five schedulers in five processes fire schedules that are due every second. The test accelerates
 * time by moving the rows of the schedules: each round takes place in a different minute in the
 * past.
 */
@QueueTest
@DisabledOnOs(OS.WINDOWS) // no SIGKILL
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class KilledSchedulersIT {

  private static final int SCHEDULERS = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The seconds 10 to 19 of a minute, on one day of the year. */
  private static final DateTimeFormatter TEN_SECONDS = cron("'10-19' m H d M '*'");

  private static final DateTimeFormatter ONE_SECOND = cron("s m H d M '*'");

  /**
   * The maximum age of the fire times of a schedule with {@code skip}. At two minutes, they would
   * count as missed.
   */
  private static final Duration RECENT = Duration.ofSeconds(60);

  private final QueueDatabase database;
  private final Random random = new Random(4_711);
  private final List<ForkedJvm> schedulers = new ArrayList<>();
  private ScheduleFixture on;

  KilledSchedulersIT(QueueDatabase database) {
    this.database = database;
    this.on = new ScheduleFixture(database);
  }

  private static DateTimeFormatter cron(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  @BeforeEach
  void start() {
    on = new ScheduleFixture(database);
    for (int n = 0; n < SCHEDULERS; n++) {
      schedulers.add(fork());
    }
    schedulers.forEach(scheduler -> scheduler.awaitLine(SchedulerProcess.READY, PATIENCE));
  }

  @AfterEach
  void stop() {
    schedulers.forEach(ForkedJvm::close);
  }

  private ForkedJvm fork() {
    return ForkedJvm.of(SchedulerProcess.class)
        .arguments(database.jdbcUrl(), database.schema())
        .option("-Xmx96m")
        .option("-XX:+UseSerialGC")
        .option("-XX:TieredStopAtLevel=1")
        .option("-Dorg.jooq.no-logo=true")
        .option("-Dorg.jooq.no-tips=true")
        .start();
  }

  @Test
  void fewKillsNeitherLoseNorRepeatAFire() {
    killWhileFiring(4);
  }

  @Test
  @Tag("soak")
  void twoHundredKillsNeitherLoseNorRepeatAFire() {
    int interrupted = killWhileFiring(200);

    assertThat(interrupted).as("kills before the fire was reported").isPositive();
  }

  /**
   * Kills a scheduler in each round, when it sends the statement that fires.
   *
   * @return how many schedulers were killed before they had reported the fire
   */
  private int killWhileFiring(int rounds) {
    declare("all", Missed.all(100));
    declare("once", Missed.once());
    declare("late", Missed.skip());
    declare("skip", Missed.skip());
    List<String> expected = new ArrayList<>();
    Instant start = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    Instant recent = Instant.EPOCH;
    int interrupted = 0;
    for (int round = 1; round <= rounds; round++) {
      Instant minute = start.minus(Duration.ofMinutes(10 + round));
      recent = nextRecent(recent);
      expect(expected, minute, recent);
      long[] firings = firings();
      makeDue(minute, recent);
      interrupted += killTheFirstThatFires(firings) ? 1 : 0;
      await().atMost(PATIENCE).until(() -> on.fixture.value(OVERDUE).equals("0"));
    }

    assertThat(fires()).containsExactlyInAnyOrderElementsOf(expected);
    return interrupted;
  }

  private static final String OVERDUE =
      "SELECT count(*) FROM @job_schedules WHERE next_at <= clock_timestamp()";

  private void declare(String name, Missed missed) {
    on.schedules.declare(
        Schedule.cron(TEN_SECONDS.format(Instant.now().minus(Duration.ofDays(2))))
            .named(name)
            .enqueue(REPORT, new ScheduleFixture.Report(name))
            .missed(missed));
  }

  /** Returns a second of the last minute that is later than {@code before}. */
  private static Instant nextRecent(Instant before) {
    Instant earliest = Instant.now().minus(RECENT).truncatedTo(ChronoUnit.SECONDS);
    Instant next = before.plusSeconds(1);
    Instant recent = next.isBefore(earliest) ? earliest : next;
    await().atMost(PATIENCE).until(() -> recent.isBefore(Instant.now()));
    return recent;
  }

  private static void expect(List<String> expected, Instant minute, Instant recent) {
    IntStream.range(10, 20).forEach(second -> expected.add("all@" + minute.plusSeconds(second)));
    expected.add("once@" + minute.plusSeconds(19));
    expected.add("skip@" + recent);
  }

  private void makeDue(Instant minute, Instant recent) {
    for (String name : List.of("all", "once", "late")) {
      on.schedules.change(name, Timing.cron(TEN_SECONDS.format(minute)));
    }
    on.schedules.change("skip", Timing.cron(ONE_SECOND.format(recent)));
    on.fixture.execute(
        ("WITH due AS (SELECT name, CASE name WHEN 'skip' THEN '%s' ELSE '%s' END::timestamptz AS at FROM @job_schedules)"
                + " UPDATE @job_schedules AS s SET next_at = due.at, due_at = due.at, last_at = NULL FROM due WHERE s.name = due.name")
            .formatted(recent, minute.plusSeconds(10)));
  }

  /** Returns how often each scheduler has sent the statement that fires. */
  private long[] firings() {
    return schedulers.stream().mapToLong(KilledSchedulersIT::firings).toArray();
  }

  private static long firings(ForkedJvm scheduler) {
    return scheduler.lines().stream().filter(SchedulerProcess.FIRING::equals).count();
  }

  private boolean killTheFirstThatFires(long[] before) {
    int victim = awaitFiring(before);
    LockSupport.parkNanos(random.nextInt(4_000_000));
    ForkedJvm killed = schedulers.get(victim);
    killed.kill();
    List<String> lines = killed.lines();
    boolean interrupted = lines.get(lines.size() - 1).equals(SchedulerProcess.FIRING);
    killed.close();
    schedulers.set(victim, fork());
    return interrupted;
  }

  private int awaitFiring(long[] before) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      long[] now = firings();
      for (int n = 0; n < SCHEDULERS; n++) {
        if (now[n] > before[n]) {
          return n;
        }
      }
      LockSupport.parkNanos(200_000);
    }
    throw new AssertionError(
        "No scheduler has fired: " + schedulers.stream().map(ForkedJvm::lines).toList());
  }

  private List<String> fires() {
    String all =
        on.fixture.value("SELECT string_agg(headers ->> 'skipjack-schedule', ' ') FROM @jobs");
    return Arrays.asList(all.split(" ", -1));
  }

  /** The test cannot set the server's clock, so it moves the rows in the opposite direction. */
  @Test
  void clockStepsOfAnHourNeitherLoseNorRepeatAFire() {
    on.schedules.declare(
        ScheduleFixture.every(Duration.ofSeconds(1), "second").missed(Missed.all(Missed.LARGEST)));
    awaitJobs(3);

    stepClock("-1 hour");
    assertThat(on.store.fireDue(List.of()).fired()).isEmpty();
    assertThat(on.fixture.value(OVERDUE)).isEqualTo("0");
    stepClock("1 hour"); // the hour has passed
    int jobs = on.jobs();
    awaitJobs(jobs + 2);

    stepClock("1 hour");
    awaitJobs(3_600);
    await().atMost(PATIENCE).until(() -> on.fixture.value(OVERDUE).equals("0"));
    on.schedules.pause("second");

    long[] seconds =
        fires().stream()
            .map(fire -> fire.substring(fire.indexOf('@') + 1))
            .mapToLong(fire -> Instant.parse(fire).getEpochSecond())
            .sorted()
            .toArray();
    assertThat(seconds).hasSizeGreaterThanOrEqualTo(3_600);
    assertThat(seconds)
        .isEqualTo(LongStream.rangeClosed(seconds[0], seconds[seconds.length - 1]).toArray());
  }

  private void awaitJobs(int number) {
    await().atMost(PATIENCE).until(() -> on.jobs() >= number);
  }

  private void stepClock(String by) {
    on.fixture.execute(
        "UPDATE @job_schedules SET next_at = next_at - interval '%1$s', due_at = due_at - interval '%1$s', last_at = last_at - interval '%1$s'"
            .formatted(by));
  }
}
