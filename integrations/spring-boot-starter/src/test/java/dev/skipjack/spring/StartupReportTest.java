package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@QueueTest
@ExtendWith(OutputCaptureExtension.class)
class StartupReportTest {

  private static final JobType<SendWelcome> UNKNOWN = JobType.of("unknown", SendWelcome.class);

  @Test
  void reportNamesKindsWithoutAHandlerAndHandlersWhoseQueueIsNotServed(
      QueueDatabase database, CapturedOutput output) {
    JobQueue.on(database.dataSource()).enqueue(UNKNOWN, new SendWelcome("ada"));

    Contexts.on(database)
        .withBean(Mails.class)
        .withPropertyValues("skipjack.queues.default.concurrency=1")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> output.getAll().contains("kinds=[default/unknown]"));
              assertThat(output)
                  .contains(
                      "Due jobs found that no living worker handles; register handlers, or cancel"
                          + " the jobs count=1 kinds=[default/unknown]")
                  .contains(
                      "Handler registered for a kind whose default queue this worker does not serve;"
                          + " add queue(name, concurrency), unless another worker serves it"
                          + " kind=send-welcome queue=emails");
            });
  }
}
