package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tests jobs that callbacks enqueue after the end of a transaction, on a pool of one connection.
 */
@QueueTest
class EndedTransactionsTest {

  private static final JobType<SendWelcome> GREET =
      JobType.of("greet", SendWelcome.class).onQueue("greetings");

  private final QueueDatabase database;

  EndedTransactionsTest(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void createUsers() {
    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
    jdbc.execute("CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY)");
    jdbc.execute("TRUNCATE users");
  }

  private ApplicationContextRunner contexts(boolean autoCommit) {
    return contexts(autoCommit, 1);
  }

  private ApplicationContextRunner contexts(boolean autoCommit, int connections) {
    return Contexts.withoutDataSource()
        .withBean(DataSource.class, () -> pool(autoCommit, connections))
        .withPropertyValues("skipjack.migrate=off", "skipjack.worker.enabled=false");
  }

  private HikariDataSource pool(boolean autoCommit, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(connections);
    config.setConnectionTimeout(Duration.ofSeconds(1).toMillis());
    config.setAutoCommit(autoCommit);
    return new HikariDataSource(config);
  }

  private static TransactionTemplate transactions(ApplicationContext context) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  private static void enqueue(ApplicationContext context) {
    context.getBean(Jobs.class).enqueue(GREET, new SendWelcome("ada"));
  }

  private static void afterCommit(Runnable work) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            work.run();
          }
        });
  }

  private static void afterCompletion(Runnable work) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            work.run();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobOfAnyCallbackIsCommittedAndWakesWorkers(boolean autoCommit) {
    contexts(autoCommit)
        .run(
            context -> {
              try (Subscription subscription =
                  JobQueue.on(database.dataSource()).wakeUps().orElseThrow().subscribe()) {
                transactions(context)
                    .executeWithoutResult(
                        status -> {
                          afterCommit(() -> enqueue(context));
                          afterCommit(
                              () ->
                                  context
                                      .getBean(Jobs.class)
                                      .enqueueAll(
                                          GREET,
                                          List.of(new SendWelcome("b"), new SendWelcome("c"))));
                        });
                QueueAssertions.assertThat(database).hasExactly(3);
                assertThat(subscription.await(Duration.ofSeconds(10))).isNotEmpty();
              }
              try (Subscription subscription =
                  JobQueue.on(database.dataSource()).wakeUps().orElseThrow().subscribe()) {
                transactions(context)
                    .executeWithoutResult(status -> afterCompletion(() -> enqueue(context)));
                QueueAssertions.assertThat(database).hasExactly(4);
                assertThat(subscription.await(Duration.ofSeconds(10))).isNotEmpty();
              }
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobOfACallbackIsCommittedAfterARollback(boolean autoCommit) {
    contexts(autoCommit)
        .run(
            context -> {
              transactions(context)
                  .executeWithoutResult(
                      status -> {
                        enqueue(context);
                        afterCompletion(() -> enqueue(context));
                        status.setRollbackOnly();
                      });
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  @Configuration
  static class OwnManager {
    @Bean
    DataSourceTransactionManager ownManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }
  }

  /** Spring Boot adds no listeners to a transaction manager that the application defines. */
  @Test
  void aTransactionManagerOfTheApplicationHasTheListener() {
    contexts(false)
        .withUserConfiguration(OwnManager.class)
        .run(
            context -> {
              new TransactionTemplate(context.getBean(DataSourceTransactionManager.class))
                  .executeWithoutResult(status -> afterCommit(() -> enqueue(context)));
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  @Configuration
  static class FailingListener {
    @Bean
    DataSourceTransactionManager ownManager(DataSource dataSource) {
      DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
      manager.addListener(
          new TransactionExecutionListener() {
            @Override
            public void afterCommit(
                TransactionExecution transaction, @Nullable Throwable commitFailure) {
              throw new IllegalStateException("listener of the application");
            }
          });
      return manager;
    }
  }

  @Test
  void aFailureOfAnotherListenerDoesNotPreventTheCommit() {
    contexts(false)
        .withUserConfiguration(FailingListener.class)
        .run(
            context -> {
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(
                      () ->
                          transactions(context)
                              .executeWithoutResult(status -> afterCommit(() -> enqueue(context))))
                  .withMessage("listener of the application");
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsAndJobsOfTheCallbacksAreCommittedTogether(boolean autoCommit) {
    contexts(autoCommit)
        .run(
            context -> {
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              transactions(context)
                  .executeWithoutResult(
                      status ->
                          afterCommit(
                              () -> {
                                jdbc.update("INSERT INTO users VALUES ('ada')");
                                enqueue(context);
                                jdbc.update("INSERT INTO users VALUES ('grace')");
                                QueueAssertions.assertThat(database).hasNoJobs();
                              }));
              QueueAssertions.assertThat(database).hasExactly(1);
              assertThat(users()).containsExactlyInAnyOrder("ada", "grace");
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedStatementOfACallbackIsReported(boolean autoCommit) {
    contexts(autoCommit)
        .run(
            context -> {
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              assertThatExceptionOfType(TransactionSystemException.class)
                  .isThrownBy(
                      () ->
                          transactions(context)
                              .executeWithoutResult(
                                  status -> {
                                    jdbc.update("INSERT INTO users VALUES ('ada')");
                                    afterCompletion(() -> enqueue(context));
                                    afterCompletion(
                                        () -> jdbc.update("INSERT INTO users VALUES ('ada')"));
                                  }))
                  .withMessageStartingWith(
                      "Jobs that were enqueued in callbacks after the end of a transaction could"
                          + " not be committed");
              QueueAssertions.assertThat(database).hasNoJobs();
              assertThat(users()).containsExactly("ada");
              transactions(context).executeWithoutResult(status -> enqueue(context));
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNewTransactionInACallbackEndsOnItsOwn(boolean autoCommit) {
    contexts(autoCommit, 2)
        .run(
            context -> {
              TransactionTemplate requiresNew = transactions(context);
              requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
              transactions(context)
                  .executeWithoutResult(
                      status ->
                          afterCommit(
                              () -> {
                                requiresNew.executeWithoutResult(
                                    inner -> {
                                      enqueue(context);
                                      inner.setRollbackOnly();
                                    });
                                enqueue(context);
                                requiresNew.executeWithoutResult(inner -> enqueue(context));
                                QueueAssertions.assertThat(database).hasExactly(1);
                              }));
              QueueAssertions.assertThat(database).hasExactly(2);
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEnclosingTransactionOnTheQueuesDataSourceIsNotCommitted(boolean autoCommit) {
    contexts(autoCommit)
        .run(
            context -> {
              try (HikariDataSource other = pool(autoCommit, 1)) {
                DataSourceTransactionManager others = new DataSourceTransactionManager(other);
                others.addListener(new EndedTransactions());
                transactions(context)
                    .executeWithoutResult(
                        outer -> {
                          new TransactionTemplate(others)
                              .executeWithoutResult(
                                  inner -> {
                                    afterCommit(() -> enqueue(context));
                                    afterCompletion(() -> enqueue(context));
                                  });
                          outer.setRollbackOnly();
                        });
              }
              QueueAssertions.assertThat(database).hasNoJobs();
            });
  }

  record SignedUp(String user) {}

  static final class Listener {
    private final Jobs jobs;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Listener(Jobs jobs) {
      this.jobs = jobs;
    }

    @TransactionalEventListener
    void on(SignedUp event) {
      failure.set(catchThrowable(() -> jobs.enqueue(GREET, new SendWelcome(event.user()))));
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    void notOn(SignedUp event) {
      on(event);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEventListenerOfATransactionCanEnqueue(boolean autoCommit) {
    contexts(autoCommit)
        .withBean(Listener.class)
        .run(
            context -> {
              ApplicationEventPublisher events = context;
              transactions(context)
                  .executeWithoutResult(status -> events.publishEvent(new SignedUp("ada")));
              QueueAssertions.assertThat(database).hasExactly(1);
              transactions(context)
                  .executeWithoutResult(
                      status -> {
                        events.publishEvent(new SignedUp("grace"));
                        status.setRollbackOnly();
                      });
              QueueAssertions.assertThat(database).hasExactly(2);
            });
  }

  @Test
  void mandatoryRefusesAnEnqueueAfterTheEnd() {
    contexts(false)
        .withBean(Listener.class)
        .withPropertyValues("skipjack.enqueue.transaction=mandatory")
        .run(
            context -> {
              assertThatExceptionOfType(IllegalTransactionStateException.class)
                  .isThrownBy(
                      () ->
                          transactions(context)
                              .executeWithoutResult(
                                  status -> {
                                    enqueue(context);
                                    afterCommit(() -> enqueue(context));
                                  }))
                  .withMessageContaining("after the end of the transaction")
                  .withMessageContaining("phase = BEFORE_COMMIT");
              transactions(context)
                  .executeWithoutResult(status -> context.publishEvent(new SignedUp("ada")));
              assertThat(context.getBean(Listener.class).failure.get())
                  .isInstanceOf(IllegalTransactionStateException.class)
                  .hasMessageStartingWith(EndedTransactionsTest.class.getName());
              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  /**
   * Enqueues during the commit, as a listener of JPA's entities may: JPA writes changed entities
   * then, and calls the listener.
   */
  @Configuration
  static class Flushing {
    @Bean
    DataSourceTransactionManager flushing(DataSource dataSource, ApplicationContext context) {
      return new DataSourceTransactionManager(dataSource) {
        @Override
        protected void doCommit(DefaultTransactionStatus status) {
          enqueue(context);
          super.doCommit(status);
        }
      };
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"join", "mandatory"})
  void anEnqueueDuringTheCommitIsInTheTransaction(String mode) {
    contexts(false)
        .withUserConfiguration(Flushing.class)
        .withPropertyValues("skipjack.enqueue.transaction=" + mode)
        .run(
            context -> {
              transactions(context).executeWithoutResult(status -> {});

              QueueAssertions.assertThat(database).hasExactly(1);
            });
  }

  /** Otherwise the thread would keep a reference to the connection of each transaction. */
  @Test
  void nothingStaysBoundToTheThread() {
    contexts(false)
        .run(
            context -> {
              Map<Object, Object> before = TransactionSynchronizationManager.getResourceMap();
              transactions(context)
                  .executeWithoutResult(status -> afterCommit(() -> enqueue(context)));
              transactions(context).executeWithoutResult(status -> status.setRollbackOnly());
              assertThatThrownBy(
                      () ->
                          transactions(context)
                              .executeWithoutResult(
                                  status ->
                                      afterCommit(
                                          () -> {
                                            throw new IllegalStateException("callback");
                                          })))
                  .hasMessage("callback");
              assertThat(TransactionSynchronizationManager.getResourceMap()).isEqualTo(before);
            });
  }

  private List<String> users() {
    return new JdbcTemplate(database.dataSource())
        .queryForList("SELECT name FROM users", String.class);
  }
}
