package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests that an application enqueues jobs with the types of its handlers. */
@QueueTest
class HandledTypesTest {

  record Work(String what) {}

  record OtherWork(String what) {}

  /** The types of the producer, which no handler refers to. */
  static final class Types {
    static final JobType<Work> WORK = JobType.of("work", Work.class);

    private Types() {}
  }

  static class Worker {
    @JobHandler(kind = "work")
    void work(Work work) {}
  }

  static class Forgotten {
    @JobHandler("work")
    void work(Work work) {}
  }

  private final QueueDatabase database;
  private final ApplicationContextRunner contexts;

  HandledTypesTest(QueueDatabase database) {
    this.database = database;
    this.contexts = Contexts.on(database).withBean(Worker.class);
  }

  private static void assertRefused(ThrowingCallable enqueue) {
    assertThatIllegalArgumentException()
        .isThrownBy(enqueue)
        .withMessageStartingWith(HandledTypesTest.class.getName())
        .withMessageContaining(
            "enqueues jobs of kind 'work' with a job type that has queue 'works', payload version 1"
                + " and payload class dev.skipjack.spring.HandledTypesTest$Work, but the handler of"
                + " this application has a type with queue 'default', payload version 1")
        .withMessageContaining("Declare the type once");
  }

  /**
   * A process without a worker checks this too, because the worker's process may never enqueue such
   * a job.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "skipjack.worker.enabled=true",
        "skipjack.worker.auto-startup=false",
        "skipjack.worker.enabled=false"
      })
  void anotherQueueThanThatOfTheHandlerIsRefused(String property) {
    contexts
        .withPropertyValues(property)
        .run(
            context -> {
              JobEnqueuer jobs = context.getBean(JobEnqueuer.class);
              assertRefused(() -> jobs.enqueue(Types.WORK.onQueue("works"), new Work("dig")));
              assertRefused(
                  () ->
                      context
                          .getBean(UniqueEnqueuer.class)
                          .enqueue(
                              Types.WORK.onQueue("works"), new Work("dig"), Unique.by(Work::what)));
            });
    QueueAssertions.assertThat(database).hasNoJobs();
  }

  @Test
  void anotherPayloadVersionOrClassIsRefused() {
    contexts.run(
        context -> {
          Jobs jobs = context.getBean(Jobs.class);
          assertThatIllegalArgumentException()
              .isThrownBy(() -> jobs.enqueue(Types.WORK.payloadVersion(2), new Work("dig")))
              .withMessageContaining("payload version 2");
          assertThatIllegalArgumentException()
              .isThrownBy(
                  () -> jobs.enqueue(JobType.of("work", OtherWork.class), new OtherWork("dig")))
              .withMessageContaining("payload class " + OtherWork.class.getName());
        });
    QueueAssertions.assertThat(database).hasNoJobs();
  }

  @Test
  void equalTypesOtherKindsAndQueuesOfOptionsAreAccepted() {
    contexts
        .withPropertyValues("skipjack.worker.auto-startup=false")
        .run(
            context -> {
              Jobs jobs = context.getBean(Jobs.class);
              jobs.enqueue(JobType.of("work", Work.class), new Work("dig"));
              jobs.enqueue(Types.WORK, new Work("dig"), options -> options.onQueue("works"));
              jobs.enqueue(
                  JobType.of("of-another-application", Work.class).onQueue("theirs"),
                  new Work("dig"));
            });
    QueueAssertions.assertThat(database).hasExactly(3);
  }

  /** The worker claims a job by its queue and runs it by its kind. */
  @ParameterizedTest
  @ValueSource(strings = {"skipjack.worker.enabled=true", "skipjack.worker.enabled=false"})
  void anotherQueueIsAcceptedIfTheWorkerServesIt(String property) {
    contexts
        .withPropertyValues(
            property,
            "skipjack.queues.default.concurrency=1",
            "skipjack.queues.works.concurrency=1")
        .run(
            context -> {
              Jobs jobs = context.getBean(Jobs.class);
              jobs.enqueue(Types.WORK.onQueue("works"), new Work("dig"));
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> jobs.enqueue(Types.WORK.onQueue("other"), new Work("dig")))
                  .withMessageContaining("queue 'other'");
              assertThatIllegalArgumentException()
                  .isThrownBy(
                      () ->
                          jobs.enqueue(
                              Types.WORK.onQueue("works").payloadVersion(2), new Work("dig")))
                  .withMessageContaining("payload version 2");
            });
    QueueAssertions.assertThat(database).hasExactly(1);
  }

  @Test
  void handlersInCodeCount() {
    contexts
        .withBean(
            WorkerCustomizer.class,
            () ->
                worker ->
                    worker.handle(
                        JobType.of("in-code", Work.class), (job, info) -> Outcome.completed()))
        .run(
            context ->
                assertThatIllegalArgumentException()
                    .isThrownBy(
                        () ->
                            context
                                .getBean(Jobs.class)
                                .enqueue(
                                    JobType.of("in-code", Work.class).onQueue("works"),
                                    new Work("dig")))
                    .withMessageContaining("queue 'works'"));
  }

  @Test
  void aScheduleMustEnqueueWithTheTypeOfTheHandler() {
    contexts
        .withBean(
            Schedule.class,
            () ->
                Schedule.every(Duration.ofHours(1))
                    .named("hourly")
                    .enqueue(Types.WORK.onQueue("works"), new Work("dig")))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("Schedule 'hourly' enqueues jobs of kind 'work'"));
  }

  @Test
  void aHandlerWithoutItsTypeIsRefused() {
    Contexts.on(database)
        .withBean(Forgotten.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("of kind 'work' finds no job type of the kind"));
  }

  /** The handlers are incorrect, but only processes with a worker use them. */
  @Test
  void aProcessWithoutAWorkerIsNotStoppedByItsHandlers() {
    Contexts.on(database)
        .withBean(Forgotten.class)
        .withPropertyValues("skipjack.worker.enabled=false")
        .run(
            context ->
                assertThatCode(
                        () ->
                            context
                                .getBean(Jobs.class)
                                .enqueue(Types.WORK.onQueue("works"), new Work("dig")))
                    .doesNotThrowAnyException());
    QueueAssertions.assertThat(database).hasExactly(1);
  }
}
