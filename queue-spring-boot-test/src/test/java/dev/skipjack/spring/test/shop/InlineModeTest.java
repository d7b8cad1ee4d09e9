package dev.skipjack.spring.test.shop;

import static dev.skipjack.spring.test.shop.Mails.SEND_WELCOME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.spring.test.JobFailedException;
import dev.skipjack.spring.test.JobMode;
import dev.skipjack.testkit.TestQueue;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@AutoConfigureSkipjack(mode = JobMode.INLINE)
class InlineModeTest {

  @Autowired private Registration registration;
  @Autowired private Payments payments;
  @Autowired private Mails mails;
  @Autowired private Jobs jobs;
  @Autowired private TestQueue queue;

  @Test
  void jobHasRunWhenTheEnqueueReturns() {
    JobId job = jobs.enqueue(SEND_WELCOME, new SendWelcome("ada"));
    assertThat(queue).job(job).isCompleted();
    assertThat(mails.sent()).contains("ada");
  }

  @Test
  void jobOfATransactionHasRunWhenItsMethodReturns() {
    JobId job = registration.signUp("grace");
    assertThat(queue).job(job).isCompleted();
    assertThat(mails.sent()).contains("grace");
  }

  @Test
  void jobsOfAHandlerRunAfterIt() {
    long before = payments.count();
    jobs.enqueue(Payments.CHARGE, new Charge("7", "accepted"));
    assertThat(payments.count()).isEqualTo(before + 1);
    assertThat(mails.sent()).contains("payer-of-7");
    assertThat(queue).hasNothingLeftToDo();
  }

  @Test
  void failureReachesTheTestWithItsCause() {
    assertThatThrownBy(() -> jobs.enqueue(SEND_WELCOME, new SendWelcome("bounces")))
        .isInstanceOf(JobFailedException.class)
        .hasMessageContaining(
            "of kind 'send-welcome' failed in attempt 1 of 3 and waits for its retry: mailbox is"
                + " full")
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> registration.signUp("is-unknown"))
        .isInstanceOf(JobFailedException.class)
        .hasMessageContaining("is dead: no such user")
        .hasNoCause();
    assertThat(queue).hasExactly(2);
    jobs.enqueue(SEND_WELCOME, new SendWelcome("after-a-failure"));
    assertThat(mails.sent()).contains("after-a-failure");
  }

  @Test
  @Transactional
  void jobOfTheTestsTransactionRunsInIt() {
    JobId job = registration.signUp("linus");
    assertThat(queue).job(job).isCompleted();
    assertThat(mails.sent()).contains("linus");
    assertThatThrownBy(() -> jobs.enqueue(SEND_WELCOME, new SendWelcome("bounces")))
        .isInstanceOf(JobFailedException.class)
        .hasRootCauseMessage("mailbox is full");
  }
}
