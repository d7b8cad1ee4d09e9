package dev.skipjack.spring.test.shop;

import static dev.skipjack.spring.test.shop.Mails.SEND_WELCOME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.spring.test.JobFailedException;
import dev.skipjack.spring.test.JobMode;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.TestQueue;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest
@AutoConfigureSkipjack(mode = JobMode.INLINE)
class InlineModeTest {

  record SignedUp(String user) {}

  @TestConfiguration(proxyBeanMethods = false)
  static class Listener {
    @Autowired private Jobs jobs;

    @TransactionalEventListener
    void on(SignedUp event) {
      jobs.enqueue(SEND_WELCOME, new SendWelcome(event.user()));
    }
  }

  record Import(String user) {}

  /** Enqueues a job in another thread, and waits until that thread has done so. */
  @TestConfiguration(proxyBeanMethods = false)
  static class Importer {
    private static final JobType<Import> IMPORT = JobType.of("import", Import.class);

    @Autowired private Jobs jobs;

    @JobHandler("import")
    void run(Import job) throws Exception {
      CompletableFuture.runAsync(() -> jobs.enqueue(SEND_WELCOME, new SendWelcome(job.user())))
          .get(20, TimeUnit.SECONDS);
    }
  }

  @Autowired private JobQueue jobQueue;
  @Autowired private PlatformTransactionManager manager;
  @Autowired private ApplicationEventPublisher events;
  @Autowired private TransactionTemplate transaction;
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
  void jobOfATransactionalEventListenerHasRunWhenTheTransactionHasEnded() {
    transaction.executeWithoutResult(status -> events.publishEvent(new SignedUp("barbara")));
    assertThat(mails.sent()).contains("barbara");
    assertThat(queue).hasExactly(1).hasNothingLeftToDo();
  }

  @Test
  void jobsOfCallbacksAfterTheCommitHaveRunWhenTheTransactionHasEnded() {
    transaction.executeWithoutResult(
        status -> {
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                  jobs.enqueue(SEND_WELCOME, new SendWelcome("edsger"));
                }
              });
          registration.signUp("donald");
        });
    assertThat(mails.sent()).contains("donald", "edsger");
    assertThat(queue).hasExactly(2).hasNothingLeftToDo();
  }

  @Test
  void aHandlerCanWaitForAThreadThatEnqueues() {
    jobs.enqueue(Importer.IMPORT, new Import("niklaus"));
    assertThat(mails.sent()).contains("niklaus");
    assertThat(queue).hasExactly(2).hasNothingLeftToDo();
  }

  @Test
  void aJobWithItsOwnTransactionRunsAlthoughTheCallersIsRolledBack() {
    transaction.executeWithoutResult(
        status -> {
          jobQueue.enqueue(SEND_WELCOME, new SendWelcome("leslie"));
          status.setRollbackOnly();
        });
    assertThat(mails.sent()).contains("leslie");
    assertThat(queue).hasExactly(1).hasNothingLeftToDo();
  }

  @Test
  void jobsOfARolledBackTransactionDoNotRun() {
    transaction.executeWithoutResult(
        status -> {
          registration.signUp("tony");
          status.setRollbackOnly();
        });
    assertThat(mails.sent()).doesNotContain("tony");
    assertThat(queue).hasNoJobs();
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

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Transactional
  void jobOfAnInnerTransactionRunsAfterItsCommit(boolean isRolledBack) {
    String user = isRolledBack ? "ken" : "dennis";
    TransactionTemplate own = new TransactionTemplate(manager);
    own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

    own.executeWithoutResult(
        status -> {
          jobs.enqueue(SEND_WELCOME, new SendWelcome(user));
          assertThat(mails.sent()).doesNotContain(user);
          if (isRolledBack) {
            status.setRollbackOnly();
          }
        });

    assertThat(mails.sent().contains(user)).isEqualTo(!isRolledBack);
    jobOfTheTestsTransactionRunsInIt();
  }
}
