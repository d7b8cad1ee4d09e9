package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.spring.test.JobMode;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureSkipjack(mode = JobMode.ASYNC)
class AsyncModeTest {

  @Autowired private Registration registration;
  @Autowired private TestQueue queue;
  @Autowired private SkipjackWorker worker;
  @Autowired private ObjectProvider<JobRuns> runs;

  @Test
  void applicationsWorkerRunsTheJob() {
    JobId job = registration.signUp("user-" + System.nanoTime());
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(queue).job(job).isCompleted());
    assertThat(worker.worker()).isPresent();
    assertThat(runs.getIfAvailable()).isNull();
  }

  @Nested
  class AfterAnotherClass {

    @Test
    void workerRunsAgain() {
      applicationsWorkerRunsTheJob();
    }
  }
}
