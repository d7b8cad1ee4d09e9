package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests jobs of Spring's transactions that start after the commit without a claim. */
@QueueTest
class DirectStartInTransactionTest {

  /**
   * After a slow transaction, which is likely on a busy machine, the worker gives no slots to
   * transactions for a while. This is longer.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final QueueDatabase database;

  DirectStartInTransactionTest(QueueDatabase database) {
    this.database = database;
  }

  private ApplicationContextRunner contexts() {
    return Contexts.withoutDataSource()
        .withBean(DataSource.class, this::pool)
        .withPropertyValues("skipjack.migrate=validate")
        .withBean(Mails.class);
  }

  /** Returns a pool of a class with which jobs start directly by default. */
  private DataSource pool() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(6);
    return pool;
  }

  /** The steps of a test in a running application. */
  private record Application(ApplicationContext context) {

    /** Enqueues a job in the current transaction, and returns the job's status. */
    String enqueue(String user) {
      JobId id = context.getBean(Jobs.class).enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
      return status(id);
    }

    /**
     * Enqueues a job that starts directly. Tries again as long as the worker gives it no slot
     * because the database seems to be slow.
     */
    void enqueueRunning(String user) {
      JdbcTemplate sql = context.getBean(JdbcTemplate.class);
      await()
          .atMost(PATIENCE)
          .pollInSameThread() // the transaction belongs to it
          .until(
              () -> {
                sql.execute("SAVEPOINT before");
                boolean isRunning = enqueue(user).equals("running");
                if (!isRunning) {
                  sql.execute("ROLLBACK TO SAVEPOINT before");
                }
                return isRunning;
              });
    }

    private String status(JobId id) {
      return Objects.requireNonNull(
          context
              .getBean(JdbcTemplate.class)
              .queryForObject(
                  "SELECT status FROM skipjack.jobs WHERE id = ?", String.class, id.value()));
    }

    void transaction(int propagation, Consumer<TransactionStatus> work) {
      TransactionTemplate template =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      template.setPropagationBehavior(propagation);
      template.executeWithoutResult(work);
    }

    void transaction(Consumer<TransactionStatus> work) {
      transaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
    }

    /** Waits until the worker keeps slots for transactions. */
    Application awaitSlots() {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                String[] status = {""};
                transaction(
                    transaction -> {
                      status[0] = enqueue("nobody");
                      transaction.setRollbackOnly();
                    });
                return status[0].equals("running");
              });
      return this;
    }

    void awaitSent(String... users) {
      Mails mails = context.getBean(Mails.class);
      await().atMost(PATIENCE).until(() -> mails.sent().size() >= users.length);
      assertThat(mails.sent()).containsExactly(users);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  context
                      .getBean(JdbcTemplate.class)
                      .queryForList("SELECT id FROM skipjack.jobs")
                      .isEmpty());
    }

    /** Returns the ends of all attempts. */
    List<String> attempts() {
      return context
          .getBean(JdbcTemplate.class)
          .queryForList("SELECT status FROM skipjack.job_executions ORDER BY id", String.class);
    }
  }

  @Test
  void theJobStartsAfterTheCommitAndNotBefore() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();

              application.transaction(
                  transaction -> {
                    application.enqueueRunning("ada");
                    assertThat(application.enqueue("bob")).as("the second").isEqualTo("pending");
                    TransactionSynchronizationManager.registerSynchronization(
                        new TransactionSynchronization() {
                          @Override
                          public void beforeCompletion() {
                            assertThat(context.getBean(Mails.class).sent()).isEmpty();
                          }
                        });
                  });

              await().atMost(PATIENCE).until(() -> context.getBean(Mails.class).sent().size() == 2);
              assertThat(context.getBean(Mails.class).sent())
                  .containsExactlyInAnyOrder("ada", "bob");
              await().atMost(PATIENCE).until(() -> !application.attempts().contains("running"));
              assertThat(application.attempts()).containsExactly("succeeded", "succeeded");
            });
  }

  @Test
  void aRollbackAndARolledBackSavepointStartNothing() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              assertThatThrownBy(
                      () ->
                          application.transaction(
                              transaction -> {
                                application.enqueueRunning("ada");
                                throw new IllegalStateException("no");
                              }))
                  .hasMessage("no");

              application.transaction(
                  outer ->
                      application.transaction(
                          TransactionDefinition.PROPAGATION_NESTED,
                          nested -> {
                            application.enqueueRunning("bob");
                            nested.setRollbackOnly();
                          }));
              application.awaitSlots(); // the slots are free again
              application.transaction(transaction -> application.enqueue("cyn"));

              application.awaitSent("cyn");
              assertThat(application.attempts()).containsExactly("succeeded");
            });
  }

  @Test
  void aTransactionOfItsOwnStartsItsJobWhileTheOuterOneIsOpen() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              application.transaction(
                  outer -> {
                    application.enqueueRunning("outer");
                    application.transaction(
                        TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                        inner -> application.enqueueRunning("inner"));
                    await()
                        .atMost(PATIENCE)
                        .until(() -> context.getBean(Mails.class).sent().size() == 1);
                    outer.setRollbackOnly();
                  });

              application.awaitSent("inner");
            });
  }

  /** Transactions may have half of the slots, which is one of two. */
  @Test
  void aSlotIsLeftForClaims() {
    contexts()
        .withPropertyValues("skipjack.queues.emails.concurrency=2")
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              application.transaction(
                  outer -> {
                    application.enqueueRunning("outer");
                    application.transaction(
                        TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                        inner -> assertThat(application.enqueue("inner")).isEqualTo("pending"));
                    await()
                        .atMost(PATIENCE)
                        .until(() -> context.getBean(Mails.class).sent().size() == 1);
                  });

              application.awaitSent("inner", "outer");
            });
  }

  @Test
  void aTransactionThatStaysOpenLosesItsSlotAndItsJobIsClaimed() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              application.transaction(
                  transaction -> {
                    application.enqueueRunning("ada");
                    JdbcTemplate sql = context.getBean(JdbcTemplate.class);
                    await()
                        .atMost(PATIENCE)
                        .pollInSameThread() // the transaction belongs to it
                        .until(
                            () ->
                                Boolean.TRUE.equals(
                                    sql.queryForObject(
                                        "SELECT clock_timestamp() - max(started_at) > interval '1.1"
                                            + " s' FROM skipjack.jobs",
                                        Boolean.class)));
                  });

              application.awaitSent("ada");
              assertThat(application.attempts()).containsExactly("released", "succeeded");
            });
  }

  @Test
  void aJobOfACallbackAfterTheCommitIsClaimed() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              application.transaction(
                  transaction ->
                      TransactionSynchronizationManager.registerSynchronization(
                          new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                              assertThat(application.enqueue("ada")).isEqualTo("pending");
                            }
                          }));

              application.awaitSent("ada");
              assertThat(application.attempts()).containsExactly("succeeded");
            });
  }

  /**
   * Spring reports the end of the inner transaction while the connection of the outer one is bound.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTransactionOnAnotherDataSourceDoesNotEndTheOuterOne(boolean isRolledBack) {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              try (HikariDataSource other = database.newDataSource(1)) {
                TransactionTemplate inner =
                    new TransactionTemplate(new DataSourceTransactionManager(other));
                application.transaction(
                    outer -> {
                      inner.executeWithoutResult(
                          transaction -> {
                            application.enqueueRunning("ada");
                            if (isRolledBack) {
                              transaction.setRollbackOnly();
                            }
                          });
                      assertThat(context.getBean(Mails.class).sent()).isEmpty();
                    });
              }

              application.awaitSent("ada");
              assertThat(application.attempts()).containsExactly("released", "succeeded");
            });
  }

  @Test
  void anUnknownOutcomeOfTheCommitReleasesTheJob() {
    contexts()
        .run(
            context -> {
              Application application = new Application(context).awaitSlots();
              assertThatThrownBy(
                      () ->
                          application.transaction(
                              transaction -> {
                                application.enqueueRunning("ada");
                                TransactionSynchronizationManager.registerSynchronization(
                                    new CommittedUnnoticed(context.getBean(DataSource.class)));
                              }))
                  .isInstanceOf(RuntimeException.class);

              application.awaitSent("ada");
              assertThat(application.attempts()).containsExactly("released", "succeeded");
            });
  }

  /**
   * Commits on the connection and then breaks it, so that the transaction manager cannot find out
   * about the commit.
   */
  private record CommittedUnnoticed(DataSource dataSource) implements TransactionSynchronization {

    @Override
    public void beforeCompletion() {
      JdbcTemplate sql = new JdbcTemplate(dataSource);
      Integer process = sql.queryForObject("SELECT pg_backend_pid()", Integer.class);
      sql.execute("COMMIT");
      sql.execute("SELECT 1"); // otherwise the driver would not send another COMMIT
      HikariDataSource pool = (HikariDataSource) dataSource;
      try (HikariDataSource other = new HikariDataSource()) {
        other.setJdbcUrl(pool.getJdbcUrl());
        other.setUsername(pool.getUsername());
        other.setPassword(pool.getPassword());
        new JdbcTemplate(other)
            .queryForObject("SELECT pg_terminate_backend(" + process + ")", Boolean.class);
      }
    }
  }
}
