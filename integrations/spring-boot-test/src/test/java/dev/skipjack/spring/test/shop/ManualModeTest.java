package dev.skipjack.spring.test.shop;

import static dev.skipjack.spring.test.shop.Mails.SEND_WELCOME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

@SpringBootTest(properties = "skipjack.worker.auto-startup=true") // has no effect in this mode
@AutoConfigureSkipjack
@ExtendWith(OutputCaptureExtension.class)
class ManualModeTest {

  @TestConfiguration(proxyBeanMethods = false)
  static class Often {
    @Bean
    Schedule everySecond() {
      return Schedule.every(Duration.ofSeconds(1))
          .named("every-second")
          .enqueue(SEND_WELCOME, new SendWelcome("regular"));
    }
  }

  @Autowired private Jobs jobs;
  @Autowired private Mails mails;
  @Autowired private Payments payments;
  @Autowired private TestQueue queue;
  @Autowired private JobRuns runs;
  @Autowired private SkipjackWorker worker;
  @Autowired private JobQueue jobQueue;

  @Test
  void nothingRunsByItself() {
    JobId job = jobs.enqueue(SEND_WELCOME, new SendWelcome("ada"));
    assertThat(worker.worker()).isEmpty();
    assertThat(jobQueue.schedules().list()).isEmpty();
    assertThat(queue).hasExactly(1).job(job).isPending().isDue();

    assertThat(runs.due()).isEqualTo(1);
    assertThat(queue).job(job).isCompleted().hasAttempts(1);
    assertThat(mails.sent()).contains("ada");
  }

  @Test
  void aWarningNamesQueuesThatAreNotServed(CapturedOutput output) {
    jobs.enqueue(SEND_WELCOME, new SendWelcome("ada"), options -> options.onQueue("letters"));

    assertThat(runs.due()).isZero();
    assertThat(runs.next()).isFalse();

    assertThat(output.getAll().split("dueIn=\\[letters] served=", -1)).hasSize(3);
  }

  @Test
  void failedJobIsRetried() {
    JobId job = jobs.enqueue(SEND_WELCOME, new SendWelcome("bounces-once"));
    runs.due();
    assertThat(queue).job(job).isPending().hasLastErrorContaining("mailbox is full");
    runs.toTheEnd();
    assertThat(queue).job(job).isCompleted().hasAttempts(2);
  }

  @Test
  void snoozedJobRunsAfterItsDelay() {
    JobId job = jobs.enqueue(SEND_WELCOME, new SendWelcome("sleeps-once"));
    runs.due();
    assertThat(queue).job(job).isDueIn(Duration.ofHours(8));
    assertThat(runs.dueWithin(Duration.ofHours(8))).isEqualTo(1);
    assertThat(queue).job(job).isCompleted();
  }

  @Test
  void jobsBecomeDeadByTheirOutcomeOrAfterTheirLastAttempt() {
    jobs.enqueue(SEND_WELCOME, new SendWelcome("is-unknown"));
    jobs.enqueue(SEND_WELCOME, new SendWelcome("bounces"));
    assertThat(runs.toTheEnd()).isEqualTo(4);
    assertThat(queue).hasDeadLetter(SEND_WELCOME).times(2);
    assertThat(queue).hasDeadLetter(SEND_WELCOME).withErrorContaining("no such user").times(1);
  }

  @Test
  void transactionalHandlerCommitsWithItsJob() {
    long before = payments.count();
    jobs.enqueue(Payments.CHARGE, new Charge("1", "accepted"));
    jobs.enqueue(Payments.CHARGE, new Charge("2", "declined"));
    assertThat(runs.toTheEnd()).isEqualTo(3);
    assertThat(payments.count()).isEqualTo(before + 1);
    assertThat(queue).hasDeadLetter(Payments.CHARGE).times(1);
    assertThat(queue)
        .hasEnqueued(SEND_WELCOME)
        .withPayload(new SendWelcome("payer-of-1"))
        .onlyJob()
        .isCompleted();
  }
}
