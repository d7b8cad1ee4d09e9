package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.handlers.HandlerTransactions;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@QueueTest
class TransactionalHandlersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The number of jobs for each step, in the test that counts effects. */
  private static final int JOBS = 4;

  /** The behaviour of the first attempt of a job. */
  enum Step {
    COMPLETES,
    FAILS,
    RETRIES,
    SNOOZES,
    IS_ROLLBACK_ONLY,
    LOSES_ITS_LEASE,
    CONNECTION_IS_KILLED_BEFORE_COMMIT,
    FAILS_AFTER_COMMIT
  }

  record Charge(String number, Step step) {}

  record Receipt(String number) {}

  static final JobType<Charge> CHARGE =
      JobType.of("charge", Charge.class).retry(Backoff.fixed(Duration.ofMillis(10)));

  static class Ledger {
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional
    public void book(Charge charge) {
      jdbc.update("INSERT INTO charges (number) VALUES (?)", charge.number());
    }

    @Transactional
    public void refuse() {
      throw new IllegalStateException("refused");
    }
  }

  static class Payments {
    private final Ledger ledger;
    private final JdbcTemplate jdbc;
    private final JobQueue queue;
    private final QueueDatabase database;

    Payments(Ledger ledger, JdbcTemplate jdbc, JobQueue queue, QueueDatabase database) {
      this.ledger = ledger;
      this.jdbc = jdbc;
      this.queue = queue;
      this.database = database;
    }

    @JobHandler(value = "charge", transactional = true)
    Outcome charge(Charge charge, JobContext context) {
      ledger.book(charge);
      // Recorded outside the transaction.
      boolean first =
          new JdbcTemplate(database.dataSource())
                  .update(
                      "INSERT INTO tries (number) VALUES (?) ON CONFLICT DO NOTHING",
                      charge.number())
              == 1;
      return first ? firstAttempt(charge, context) : Outcome.completed(receipt(charge));
    }

    private Outcome firstAttempt(Charge charge, JobContext context) {
      switch (charge.step()) {
        case COMPLETES -> {}
        case FAILS -> throw new IllegalStateException("card refused");
        case RETRIES -> {
          return Outcome.retry(Duration.ZERO, "later");
        }
        case SNOOZES -> {
          return Outcome.snooze(Duration.ZERO);
        }
        case IS_ROLLBACK_ONLY -> {
          try {
            ledger.refuse();
          } catch (IllegalStateException swallowed) {
            // The transaction can now only be rolled back.
          }
        }
        case LOSES_ITS_LEASE -> database.loseLease(context.jobId(), queue);
        case CONNECTION_IS_KILLED_BEFORE_COMMIT -> killBeforeCommit();
        case FAILS_AFTER_COMMIT -> failAfterCommit();
      }
      return Outcome.completed(receipt(charge));
    }

    private static Receipt receipt(Charge charge) {
      return new Receipt(charge.number());
    }

    private void killBeforeCommit() {
      Integer session = jdbc.queryForObject("SELECT pg_backend_pid()", Integer.class);
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              assertThat(
                      new JdbcTemplate(database.dataSource())
                          .queryForObject(
                              "SELECT pg_terminate_backend(?, ?)",
                              Boolean.class,
                              session,
                              PATIENCE.toMillis()))
                  .isTrue();
            }
          });
    }

    private static void failAfterCommit() {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCommit() {
              throw new IllegalStateException("The response to the commit was lost.");
            }
          });
    }
  }

  private final QueueDatabase database;
  private final ApplicationContextRunner contexts;

  TransactionalHandlersTest(QueueDatabase database) {
    this.database = database;
    this.contexts = Contexts.on(database).withPropertyValues("skipjack.worker.concurrency=2");
  }

  private ApplicationContextRunner payments() {
    return contexts
        .withBean("charge", JobType.class, () -> CHARGE)
        .withBean(
            "database", QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withBean(Ledger.class)
        .withBean(Payments.class);
  }

  @BeforeEach
  void createTables() {
    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
    jdbc.execute("CREATE TABLE IF NOT EXISTS charges (number text)");
    jdbc.execute("CREATE TABLE IF NOT EXISTS tries (number text PRIMARY KEY)");
    jdbc.execute("TRUNCATE charges, tries");
  }

  private List<String> charges() {
    return new JdbcTemplate(database.dataSource())
        .queryForList("SELECT number FROM charges", String.class);
  }

  @Test
  void theRowsOfAHandlerExistOnceForEachCompletion() {
    payments()
        .run(
            context -> {
              List<String> numbers = new ArrayList<>();
              for (Step step : Step.values()) {
                for (int i = 0; i < JOBS; i++) {
                  String number = step + "-" + i;
                  numbers.add(number);
                  context.getBean(Jobs.class).enqueue(CHARGE, new Charge(number, step));
                }
              }
              awaitCompleted(CHARGE, numbers.size());
              assertThat(charges()).containsExactlyInAnyOrderElementsOf(numbers);
            });
  }

  @Test
  void theReturnedValueIsStoredInTheSameTransaction() {
    payments()
        .run(
            context -> {
              JobId job =
                  context
                      .getBean(Jobs.class)
                      .enqueue(CHARGE, new Charge("4711", Step.FAILS_AFTER_COMMIT));
              awaitCompleted(CHARGE, 1);
              assertThat(context.getBean(JobQueue.class).reader().find(job).orElseThrow().result())
                  .contains("4711");
            });
  }

  static final JobType<Charge> REVIEW = JobType.of("review", Charge.class);

  static class Reviews {
    private final Ledger ledger;

    Reviews(Ledger ledger) {
      this.ledger = ledger;
    }

    @JobHandler(value = "review", transactional = true)
    Outcome review(Charge charge) {
      ledger.book(charge);
      if (charge.step() == Step.IS_ROLLBACK_ONLY) {
        try {
          ledger.refuse();
        } catch (IllegalStateException swallowed) {
          return Outcome.completed();
        }
      }
      return Outcome.dead("no such card");
    }
  }

  @Test
  void aDeadOutcomeRollsBackTheRowsOfItsHandler() {
    contexts
        .withBean("review", JobType.class, () -> REVIEW)
        .withBean(Ledger.class)
        .withBean(Reviews.class)
        .run(
            context -> {
              JobId job =
                  context.getBean(Jobs.class).enqueue(REVIEW, new Charge("4711", Step.FAILS));
              await()
                  .atMost(PATIENCE)
                  .untilAsserted(() -> QueueAssertions.assertThatJob(database, job).isDead());
              QueueAssertions.assertThatJob(database, job).hasLastErrorContaining("no such card");
              assertThat(charges()).isEmpty();
            });
  }

  @Test
  void aRollbackOnlyTransactionIsTheReasonOfTheFailedAttempt() {
    contexts
        .withBean("review", JobType.class, () -> REVIEW.maxAttempts(1))
        .withBean(Ledger.class)
        .withBean(Reviews.class)
        .run(
            context -> {
              JobId job =
                  context
                      .getBean(Jobs.class)
                      .enqueue(REVIEW.maxAttempts(1), new Charge("4711", Step.IS_ROLLBACK_ONLY));
              await()
                  .atMost(PATIENCE)
                  .untilAsserted(() -> QueueAssertions.assertThatJob(database, job).isDead());
              QueueAssertions.assertThatJob(database, job)
                  .hasLastErrorContaining("its transaction was marked as rollback-only");
              assertThat(charges()).isEmpty();
            });
  }

  @Test
  void handlersInCodeAreTransactionalToo() {
    contexts
        .withBean(Ledger.class)
        .withUserConfiguration(InCode.class)
        .run(
            context -> {
              context.getBean(Jobs.class).enqueue(REVIEW, new Charge("4711", Step.COMPLETES));
              awaitCompleted(REVIEW, 1);
              assertThat(charges()).containsExactly("4711");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class InCode {
    @Bean
    WorkerCustomizer reviews(HandlerTransactions transactions, Ledger ledger) {
      return worker -> addTo(worker, transactions, ledger);
    }

    private static void addTo(
        Worker.Builder worker, HandlerTransactions transactions, Ledger ledger) {
      worker
          .queue(JobType.DEFAULT_QUEUE, 1)
          .handle(
              REVIEW,
              transactions.transactional(
                  (charge, context) -> {
                    ledger.book(charge);
                    return Outcome.completed();
                  }));
    }
  }

  static class Cards {
    private final Ledger ledger;

    Cards(Ledger ledger) {
      this.ledger = ledger;
    }

    // snippet: transactional
    @JobHandler(kind = "charge-card", queue = "payments", transactional = true)
    Receipt charge(Charge charge) {
      ledger.book(charge); // joins the transaction
      return new Receipt(charge.number());
    }
    // end of snippet
  }

  @Test
  void aTransactionalHandlerMayReturnAResult() {
    contexts
        .withBean(Ledger.class)
        .withBean(Cards.class)
        .run(
            context -> {
              context
                  .getBean(Jobs.class)
                  .enqueue(
                      JobType.of("charge-card", Charge.class).onQueue("payments"),
                      new Charge("1", Step.COMPLETES));
              await()
                  .atMost(PATIENCE)
                  .untilAsserted(() -> assertThat(charges()).containsExactly("1"));
            });
  }

  static class Plain {
    @JobHandler(kind = "plain", transactional = true)
    void run(Charge charge) {}
  }

  @Test
  void aTransactionalHandlerWithoutATransactionManagerIsRefused() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SkipjackAutoConfiguration.class))
        .withBean("pool", DataSource.class, () -> Contexts.pool(database))
        .withPropertyValues("skipjack.migrate=validate")
        .withBean(Plain.class)
        .run(
            context ->
                assertRefused(
                    context, "has no transaction manager for the queue's data source 'pool'"));
  }

  @Test
  void aTransactionManagerOfAnotherDataSourceIsRefusedWithBothNames() {
    contexts
        .withBean(
            "reporting",
            PlatformTransactionManager.class,
            () -> new DataSourceTransactionManager(Unreachable.dataSource()))
        .withBean(Plain.class)
        .run(
            context ->
                assertRefused(
                    context, "do not use the queue's data source 'dataSource': reporting. Define"));
  }

  private static void assertRefused(AssertableApplicationContext context, String reason) {
    assertThat(context)
        .getFailure()
        .cause()
        .hasMessageContaining("Plain.run of bean")
        .hasMessageContaining("is transactional, but there are no transactions for it")
        .hasMessageContaining(reason);
  }

  static class Separate {
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @JobHandler(kind = "separate", transactional = true)
    public void run(Charge charge) {}
  }

  @Test
  void aHandlerWithATransactionOfItsOwnIsRefused() {
    contexts
        .withBean(Separate.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("its propagation REQUIRES_NEW prevents it from joining"));
  }

  @Test
  void transactionsOfAnotherDataSourceAreRefusedInCode() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new SpringTransactions(
                    new JdbcTransactionManager(Unreachable.dataSource()), database.dataSource()))
        .withMessageContaining("are not on the queue's data source");
  }

  private void awaitCompleted(JobType<?> type, int times) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                QueueAssertions.assertThat(database)
                    .hasEnqueued(type)
                    .inStatus(JobStatus.COMPLETED)
                    .times(times));
  }
}
