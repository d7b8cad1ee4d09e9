package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.spring.SignUps.Attempts;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.Registration;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@QueueTest
@ExtendWith(OutputCaptureExtension.class)
class JobsTest {

  private static final int TRANSACTIONS = 100;

  private final QueueDatabase database;
  private final ApplicationContextRunner contexts;

  JobsTest(QueueDatabase database) {
    this.database = database;
    this.contexts =
        Contexts.on(database)
            .withBean(Registration.class)
            .withBean(Attempts.class)
            .withPropertyValues("skipjack.worker.enabled=false");
  }

  @BeforeEach
  void createUsers() {
    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
    jdbc.execute("CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY)");
    jdbc.execute("TRUNCATE users");
  }

  @Test
  void warnsOnceOfATransactionOnAnotherDataSource(CapturedOutput output) {
    try (HikariDataSource pool = database.newDataSource(1);
        HikariDataSource other = database.newDataSource(1)) {
      Jobs jobs = new Jobs(JobQueue.on(pool), pool, EnqueueTransaction.JOIN);
      TransactionTemplate transaction =
          new TransactionTemplate(new DataSourceTransactionManager(other));
      jobs.enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("without a transaction"));
      assertThat(output).doesNotContain("not on the queue's data source");

      for (int i = 0; i < 2; i++) {
        transaction.executeWithoutResult(
            status -> {
              jobs.enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("ada"));
              status.setRollbackOnly();
            });
      }
    }

    assertThat(output.getAll().split("not on the queue's data source", -1)).hasSize(2);
    assertThat(output).contains("kind=send-welcome caller=" + JobsTest.class.getName());
    QueueAssertions.assertThat(database).hasExactly(3);
  }

  /** The transaction on the other data source is the innermost one. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyTheTransactionOnTheQueuesDataSourceMustNotBeReadOnly(boolean isReadOnly) {
    try (HikariDataSource pool = database.newDataSource(1);
        HikariDataSource other = database.newDataSource(1)) {
      Jobs jobs = new Jobs(JobQueue.on(pool), pool, EnqueueTransaction.JOIN);
      TransactionTemplate outer = new TransactionTemplate(new DataSourceTransactionManager(pool));
      outer.setReadOnly(isReadOnly);
      TransactionTemplate inner = new TransactionTemplate(new DataSourceTransactionManager(other));
      inner.setReadOnly(!isReadOnly);

      ThrowingCallable enqueue =
          () ->
              outer.executeWithoutResult(
                  around ->
                      inner.executeWithoutResult(
                          status ->
                              jobs.enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("ada"))));

      if (isReadOnly) {
        assertThatExceptionOfType(IllegalTransactionStateException.class)
            .isThrownBy(enqueue)
            .withMessageContaining("in a read-only transaction. Remove readOnly = true");
      } else {
        assertThatCode(enqueue).doesNotThrowAnyException();
      }
    }
    QueueAssertions.assertThat(database).hasExactly(isReadOnly ? 0 : 1);
  }

  /** A query binds a connection to the transaction on the other data source. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTransactionOnAnotherDataSourceCountsAsNone(boolean queried) {
    try (HikariDataSource pool = database.newDataSource(2);
        HikariDataSource other = database.newDataSource(1)) {
      JobQueue queue = JobQueue.on(pool);
      new TransactionTemplate(new DataSourceTransactionManager(other))
          .executeWithoutResult(
              status -> {
                if (queried) {
                  new JdbcTemplate(pool).queryForObject("SELECT 1", Integer.class);
                }
                assertThatExceptionOfType(IllegalTransactionStateException.class)
                    .isThrownBy(
                        () ->
                            new Jobs(queue, pool, EnqueueTransaction.MANDATORY)
                                .enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("mandatory")))
                    .withMessageContaining("in a transaction on another data source")
                    .withMessageContaining("Name the transaction manager");
                new Jobs(queue, pool, EnqueueTransaction.JOIN)
                    .enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("join"));
                status.setRollbackOnly();
              });
    }
    QueueAssertions.assertThat(database).hasExactly(1);
  }

  @Test
  void rowAndJobExistTogetherOrNotAtAll() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    contexts.run(
        context -> {
          Registration registration = context.getBean(Registration.class);
          Attempts attempts = context.getBean(Attempts.class);
          Set<String> committed = new HashSet<>();
          for (int i = 0; i < TRANSACTIONS; i++) {
            String user = "user-" + i;
            if (random.nextBoolean()) {
              registration.signUp(user);
              committed.add(user);
            } else {
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(() -> attempts.signUpAndFail(user, random.nextBoolean()))
                  .withMessage("no more users");
            }
          }
          assertThat(users()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(committed);
          QueueAssertions.assertThat(database).hasExactly(committed.size());
          committed.forEach(
              user ->
                  QueueAssertions.assertThat(database)
                      .hasEnqueued(Mails.SEND_WELCOME)
                      .withPayload(new SignUps.SendWelcome(user))
                      .times(1));
        });
  }

  @Test
  void aJobOfAnEnclosingTransactionIsRolledBackWithIt() {
    contexts.run(
        context -> {
          context
              .getBean(TransactionTemplate.class)
              .executeWithoutResult(
                  transaction -> {
                    context.getBean(Registration.class).signUp("ada");
                    transaction.setRollbackOnly();
                  });
          QueueAssertions.assertThat(database).hasNoJobs();
          assertThat(users()).isEmpty();
        });
  }

  @Test
  void withoutATransactionAJobIsCommittedAtOnce() {
    contexts.run(
        context -> {
          context.getBean(Attempts.class).withoutTransaction("ada");
          QueueAssertions.assertThat(database).hasExactly(1);
        });
  }

  @Test
  void mandatoryRefusesAnEnqueueWithoutATransaction() {
    contexts
        .withPropertyValues("skipjack.enqueue.transaction=mandatory")
        .run(
            context -> {
              Registration registration = context.getBean(Registration.class);
              assertThatExceptionOfType(IllegalTransactionStateException.class)
                  .isThrownBy(() -> context.getBean(Attempts.class).withoutTransaction("ada"))
                  .withMessageStartingWith(
                      "dev.skipjack.spring.SignUps$Attempts.withoutTransaction enqueued a job of"
                          + " kind 'send-welcome' without a transaction")
                  .withMessageContaining("Annotate the method with @Transactional");
              QueueAssertions.assertThat(database).hasNoJobs();
              registration.signUp("ada");
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  @Test
  void ownCommitsTheJobEvenIfTheCallerRollsBack() {
    contexts
        .withPropertyValues("skipjack.enqueue.transaction=own")
        .run(
            context -> {
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(() -> context.getBean(Attempts.class).signUpAndFail("ada", true));
              QueueAssertions.assertThat(database).hasExactly(1);
              assertThat(users()).isEmpty();
            });
  }

  @Test
  void aReadOnlyTransactionIsRefusedBeforeSql() {
    contexts.run(
        context ->
            context
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                    transaction -> {
                      Registration registration = context.getBean(Registration.class);
                      TransactionTemplate readOnly =
                          new TransactionTemplate(
                              context.getBean(PlatformTransactionManager.class));
                      readOnly.setReadOnly(true);
                      readOnly.setName("listUsers");
                      readOnly.setPropagationBehavior(
                          TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                      readOnly.executeWithoutResult(
                          inner -> {
                            assertThatExceptionOfType(IllegalTransactionStateException.class)
                                .isThrownBy(
                                    () -> context.getBean(Attempts.class).withoutTransaction("ada"))
                                .withMessageContaining(
                                    "in the read-only transaction 'listUsers'. Remove readOnly ="
                                        + " true");
                            // If a statement had failed in the transaction, this one would fail
                            // too.
                            assertThat(
                                    context
                                        .getBean(JdbcTemplate.class)
                                        .queryForObject("SELECT 1", Integer.class))
                                .isEqualTo(1);
                          });
                      registration.signUp("grace");
                    }));
    QueueAssertions.assertThat(database).hasExactly(1);
  }

  @Test
  void theErrorNamesTheReadOnlyMethod() {
    contexts.run(
        context ->
            assertThatExceptionOfType(IllegalTransactionStateException.class)
                .isThrownBy(() -> context.getBean(Attempts.class).readOnly("ada"))
                .withMessageContaining("'dev.skipjack.spring.SignUps$Attempts.readOnly'"));
  }

  private List<String> users() {
    return new JdbcTemplate(database.dataSource())
        .queryForList("SELECT name FROM users", String.class);
  }
}
