package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.steps.Signals;
import dev.skipjack.steps.Steps;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.stereotype.Component;

/** Tests steps as a parameter of the handlers of beans. */
@QueueTest
class StepsHandlersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  static final JobType<String> REVIEW = JobType.of("review", String.class);

  @Component
  static class Reviews {
    @JobHandler("review")
    String review(String document, Steps steps) {
      return steps.await("decision", String.class, Duration.ofDays(7)).orElse("none");
    }
  }

  static class TransactionalReviews {
    @JobHandler(kind = "review", transactional = true)
    void review(String document, Steps steps) {}
  }

  @Test
  void handlerOfABeanTakesSteps(QueueDatabase database) {
    Contexts.on(database)
        .withBean(Reviews.class)
        .withBean("type", JobType.class, () -> REVIEW)
        .run(
            context -> {
              JobQueue queue = context.getBean(JobQueue.class);
              JobId job = queue.enqueue(REVIEW, "contract");
              Signals.on(queue).send(job, "decision", "approved");
              JobReader reader = queue.reader();
              await()
                  .atMost(PATIENCE)
                  .until(
                      () -> reader.find(job).orElseThrow().summary().status(),
                      status -> status == JobStatus.COMPLETED);
              assertThat(reader.find(job).orElseThrow().result()).isEqualTo("\"approved\"");
            });
  }

  @Test
  void transactionalHandlerWithStepsFailsTheStart(QueueDatabase database) {
    Contexts.on(database)
        .withBean(TransactionalReviews.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("is transactional. It cannot take Steps"));
  }
}
