package dev.skipjack.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@QueueTest
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // The methods are found by reflection.
class JobScheduleTest {

  record Tidy() {}

  record Mail(String to) {}

  static class Housekeeping {
    static final JobType<Tidy> TIDY = JobType.of("tidy", Tidy.class).onQueue("nightly");

    final List<String> runs = new CopyOnWriteArrayList<>();

    @JobHandler(kind = "tidy")
    @JobSchedule(
        cron = "0 3 * * *",
        zone = "Europe/Berlin",
        name = "tidy-at-night",
        overlap = Overlap.SKIP_WHILE_LIVE)
    void tidy(Tidy tidy) {
      runs.add("tidy");
    }

    @JobHandler(kind = "count")
    @JobSchedule(every = "5m")
    void count() {
      runs.add("count");
    }

    @JobHandler(kind = "report")
    @JobSchedule(every = "PT1H")
    void report(JobContext context) {
      runs.add("report for " + context.scheduledFor().orElseThrow());
    }
  }

  @Test
  void theAnnotationDefinesTheSchedule() {
    List<Schedule> schedules = JobHandlers.of(new Housekeeping()).schedules();

    assertThat(schedules)
        .extracting(Schedule::name)
        .containsExactly("count", "report", "tidy-at-night");
    assertThat(schedules.get(0).timing()).isEqualTo(Timing.every(Duration.ofMinutes(5)));
    assertThat(schedules.get(0).overlap()).isEqualTo(Overlap.ALLOW);
    assertThat(schedules.get(1).timing()).isEqualTo(Timing.every(Duration.ofHours(1)));
    Schedule tidy = schedules.get(2);
    assertThat(tidy.timing()).isEqualTo(Timing.cron("0 3 * * *").zone("Europe/Berlin"));
    assertThat(tidy.overlap()).isEqualTo(Overlap.SKIP_WHILE_LIVE);
    assertThat(tidy.needsCode()).isFalse();
    assertThat(tidy.type()).isSameAs(Housekeeping.TIDY);
    assertThat(
            tidy.<Object>job(
                Instant.EPOCH,
                new Schedule.Creation<>() {
                  @Override
                  public <T> Object create(JobType<T> type, T payload, EnqueueOptions options) {
                    return payload;
                  }
                }))
        .isEqualTo(new Tidy());
  }

  @Test
  void aScheduledHandlerRunsTheJobsOfItsSchedule(QueueDatabase database) {
    JobQueue queue = JobQueue.on(database.dataSource());
    Housekeeping housekeeping = new Housekeeping();
    Worker.Builder builder = Worker.on(queue).queue(JobType.DEFAULT_QUEUE, 2).queue("nightly", 1);
    JobHandlers.of(housekeeping).addTo(builder);
    try (Worker worker = builder.start()) {
      assertThat(worker.status().started()).isTrue();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(queue.schedules().list())
                      .extracting(ScheduleState::name)
                      .containsExactlyInAnyOrder("count", "report", "tidy-at-night"));
      queue.schedules().fireNow("count");
      queue.schedules().fireNow("report");
      queue.schedules().fireNow("tidy-at-night");
      await().atMost(Duration.ofSeconds(60)).until(() -> housekeeping.runs.size() == 3);
    }
    assertThat(housekeeping.runs).contains("tidy", "count").anyMatch(run -> run.contains("for 20"));
    QueueAssertions.assertThat(database)
        .hasEnqueued(Housekeeping.TIDY)
        .withPayload(new Tidy())
        .inStatus(JobStatus.COMPLETED)
        .times(1);
  }

  static class Configured {
    @JobHandler(kind = "sync", queue = "${queue}", timeout = "${timeout}")
    @JobSchedule(cron = "${cron}", zone = "${zone}")
    void sync() {}
  }

  private static JobHandlers configured(String cron) {
    return JobHandlers.builder()
        .texts(
            text ->
                switch (text) {
                  case "${queue}" -> "slow";
                  case "${timeout}" -> "30s";
                  case "${cron}" -> cron;
                  case "${zone}" -> "Asia/Tokyo";
                  default -> text;
                })
        .scan(new Configured())
        .build();
  }

  @Test
  void textsAreResolved() {
    JobHandlers handlers = configured("0 9 * * MON");

    assertThat(handlers.schedules().get(0).timing())
        .isEqualTo(Timing.cron("0 9 * * MON").zone("Asia/Tokyo"));
    assertThat(handlers.types().get(0).queue()).isEqualTo("slow");
    assertThat(handlers.types().get(0).timeout()).contains(Duration.ofSeconds(30));
  }

  @Test
  void aDisabledScheduleIsNotDeclared() {
    JobHandlers handlers = configured(JobSchedule.DISABLED);

    assertThat(handlers.schedules()).isEmpty();
    assertThat(handlers.types()).hasSize(1);
  }

  @Test
  void aDeclaredTypeNeedsNoPayloadParameter() {
    JobType<Mail> mail = JobType.of("mail", Mail.class);

    JobHandlers handlers =
        JobHandlers.builder()
            .type(mail)
            .scan(
                new Object() {
                  @JobHandler("mail")
                  void run(JobContext context) {}
                })
            .build();

    assertThat((Object) handlers.types().get(0)).isSameAs(mail);
  }

  @Test
  void schedulesOfOneNameAreRefusedWithBothMethods() {
    Object one =
        new Object() {
          @JobHandler(kind = "a")
          @JobSchedule(every = "1m", name = "nightly")
          void first() {}

          @JobHandler(kind = "b")
          @JobSchedule(every = "1m", name = "nightly")
          void second() {}
        };
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(one))
        .withMessageStartingWith("Schedule 'nightly' has two handlers: ")
        .withMessageContaining("first()")
        .withMessageContaining("second()");
  }

  static Stream<Arguments> misuses() {
    return Stream.of(
        Arguments.of(
            new Object() {
              @JobSchedule(every = "1m")
              void run() {}
            },
            "run() has a schedule, but is not a handler. Add @JobHandler"),
        Arguments.of(
            new Object() {
              @JobHandler("a")
              @JobSchedule(every = "1m")
              void run() {}
            },
            "run() of kind 'a' finds no job type of the kind"),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule
              void run() {}
            },
            "run() of kind 'a' has a schedule with cron = \"\" and every = \"\". Set one of them."),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(cron = "@daily", every = "1d")
              void run() {}
            },
            "has a schedule with cron = \"@daily\" and every = \"1d\". Set one of them."),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(every = "1m")
              void run(Mail mail) {}
            },
            "run(Mail) of kind 'a' has a schedule, but its payload class"
                + " dev.skipjack.handlers.JobScheduleTest$Mail has no accessible constructor"
                + " without parameters. Remove the payload parameter"),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(every = "1m")
              void run(Failing failing) {}
            },
            "JobScheduleTest$Failing throws java.lang.IllegalStateException: no data. Fix"),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(cron = "every night")
              void run() {}
            },
            "run() of kind 'a' has an invalid schedule. "),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(every = "often")
              void run() {}
            },
            "has an invalid schedule. "),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(cron = "@daily", zone = "Europe/Bonn")
              void run() {}
            },
            "has an invalid schedule. Time zone 'Europe/Bonn' is unknown"),
        Arguments.of(
            new Object() {
              @JobHandler(kind = "a")
              @JobSchedule(cron = "@daily", name = "Night shift")
              void run() {}
            },
            "has an invalid schedule. "));
  }

  static class Failing {
    Failing() {
      throw new IllegalStateException("no data");
    }
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void misusesAreRefusedWithTheFix(Object object, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(object))
        .withMessageContaining(message);
  }
}
