package dev.skipjack.spring.test.shop;

import static dev.skipjack.spring.test.shop.Mails.SEND_WELCOME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.BeforeTransaction;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest
@AutoConfigureSkipjack
@Transactional
class RolledBackTest {

  @Autowired private Registration registration;
  @Autowired private Payments payments;
  @Autowired private Mails mails;
  @Autowired private Jobs jobs;
  @Autowired private TestQueue queue;
  @Autowired private JobRuns runs;

  private long users;
  private long charges;

  /** Other tests share the context and have committed rows of the application. */
  @BeforeTransaction
  void countRows() {
    users = registration.count();
    charges = payments.count();
  }

  // snippet: transaction
  @Test
  void signUpSendsAMail() {
    JobId job = registration.signUp("ada");
    assertThat(queue).job(job).isPending();

    assertThat(runs.due()).isEqualTo(1);

    assertThat(mails.sent()).contains("ada");
    assertThat(queue).job(job).isCompleted();
  }

  // end of snippet

  @Test
  void retriesSnoozesAndDeadJobsAreInTheTransaction() {
    JobId bounces = jobs.enqueue(SEND_WELCOME, new SendWelcome("bounces-once"));
    JobId sleeps = jobs.enqueue(SEND_WELCOME, new SendWelcome("sleeps-once"));
    JobId unknown = jobs.enqueue(SEND_WELCOME, new SendWelcome("is-unknown"));
    assertThat(runs.due()).isEqualTo(3);
    assertThat(queue).job(bounces).isPending().hasLastErrorContaining("mailbox is full");
    assertThat(queue).job(sleeps).isDueIn(Duration.ofHours(8));
    assertThat(queue).job(unknown).isDead();
    assertThat(runs.toTheEnd()).isEqualTo(2);
    assertThat(queue).job(bounces).isCompleted().hasAttempts(2);
    assertThat(queue).job(sleeps).isCompleted();
  }

  @Test
  void transactionalHandlersJoinTheTransaction() {
    JobId accepted = jobs.enqueue(Payments.CHARGE, new Charge("1", "accepted"));
    JobId declined = jobs.enqueue(Payments.CHARGE, new Charge("2", "declined"));
    JobId failed = jobs.enqueue(Payments.CHARGE, new Charge("3", "fails"));
    JobId duplicate = jobs.enqueue(Payments.CHARGE, new Charge("1", "accepted"));
    runs.toTheEnd();
    assertThat(queue).job(accepted).isCompleted();
    assertThat(queue).job(declined).isDead();
    assertThat(queue).job(failed).isDead().hasLastErrorContaining("bank is closed");
    assertThat(queue).job(duplicate).isDead().hasLastErrorContaining("duplicate key");
    assertThat(payments.count()).isEqualTo(charges + 1);
    assertThat(queue).hasEnqueued(SEND_WELCOME).times(1).onlyJob().isCompleted();
  }

  @AfterTransaction
  void nothingIsLeft() {
    assertThat(queue).hasNoJobs();
    assertThat(registration.count()).isEqualTo(users);
    assertThat(payments.count()).isEqualTo(charges);
  }
}
