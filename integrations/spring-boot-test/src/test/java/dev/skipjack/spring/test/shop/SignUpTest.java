package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

// snippet: manual
@SpringBootTest
@AutoConfigureSkipjack
class SignUpTest {

  @Autowired Registration registration;
  @Autowired Mails mails;
  @Autowired TestQueue queue;
  @Autowired JobRuns runs;

  @Test
  void signUpSendsAMail() {
    JobId job = registration.signUp("katherine");
    assertThat(queue)
        .hasEnqueued(Mails.SEND_WELCOME)
        .withPayload(new SendWelcome("katherine"))
        .times(1);

    runs.due();

    assertThat(queue).job(job).isCompleted();
    assertThat(mails.sent()).contains("katherine");
  }
}
// end of snippet
