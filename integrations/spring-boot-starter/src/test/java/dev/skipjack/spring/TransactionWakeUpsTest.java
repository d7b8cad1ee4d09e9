package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@QueueTest
class TransactionWakeUpsTest {

  private final ApplicationContextRunner contexts;
  private final QueueDatabase database;
  private Subscription subscription;

  /** The pool has a single connection, so that a wake-up that needs a second one would fail. */
  TransactionWakeUpsTest(QueueDatabase database) {
    this.database = database;
    this.contexts =
        Contexts.withoutDataSource()
            .withBean(DataSource.class, () -> pool(database))
            .withPropertyValues("skipjack.migrate=off", "skipjack.worker.enabled=false");
  }

  private static DataSource pool(QueueDatabase database) {
    HikariDataSource pool = database.newDataSource(1);
    pool.setConnectionTimeout(Duration.ofSeconds(1).toMillis());
    return pool;
  }

  @BeforeEach
  void subscribe() {
    subscription = JobQueue.on(database.dataSource()).wakeUps().orElseThrow().subscribe();
  }

  @AfterEach
  void close() {
    subscription.close();
  }

  private String heard() {
    List<WakeUp> heard = subscription.await(Duration.ofSeconds(10));
    assertThat(heard).hasSize(1);
    return heard.get(0).lane().queue();
  }

  private List<WakeUp> heardSoon() {
    return subscription.await(Duration.ofMillis(50));
  }

  private static void enqueue(ApplicationContext context, String queue) {
    context
        .getBean(Jobs.class)
        .enqueue(JobType.of("greet", SendWelcome.class).onQueue(queue), new SendWelcome("ada"));
  }

  private static void inTransaction(
      ApplicationContext context, int propagation, Consumer<TransactionTemplate> work) {
    TransactionTemplate template =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    template.setPropagationBehavior(propagation);
    template.executeWithoutResult(status -> work.accept(template));
  }

  @Test
  void workersAreWokenOnceAfterTheCommit() {
    contexts.run(
        context -> {
          inTransaction(
              context,
              TransactionDefinition.PROPAGATION_REQUIRED,
              template -> {
                enqueue(context, "a");
                enqueue(context, "a");
                // Joins the same transaction.
                template.executeWithoutResult(status -> enqueue(context, "a"));
              });
          assertThat(heard()).isEqualTo("a");
          assertThat(heardSoon()).isEmpty();
          QueueAssertions.assertThat(database).hasExactly(3);
        });
  }

  @Test
  void aRollbackWakesNoWorkerAndLeavesNothingForTheNextTransaction() {
    contexts.run(
        context -> {
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
              .executeWithoutResult(
                  status -> {
                    enqueue(context, "rolled-back");
                    status.setRollbackOnly();
                  });
          inTransaction(
              context,
              TransactionDefinition.PROPAGATION_REQUIRED,
              template -> enqueue(context, "committed"));
          assertThat(heard()).isEqualTo("committed");
          QueueAssertions.assertThat(database).hasExactly(1);
        });
  }

  @Test
  void theJobOfATransactionWhoseSavepointIsRolledBackWakesWorkers() {
    contexts.run(
        context -> {
          TransactionTemplate nested =
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
          nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
          inTransaction(
              context,
              TransactionDefinition.PROPAGATION_REQUIRED,
              template -> {
                nested.executeWithoutResult(
                    status -> {
                      enqueue(context, "a");
                      status.setRollbackOnly();
                    });
                enqueue(context, "a");
              });
          assertThat(heard()).isEqualTo("a");
          QueueAssertions.assertThat(database).hasExactly(1);
        });
  }

  @Test
  void aSuspendedTransactionKeepsItsWakeUps() {
    Contexts.on(database)
        .withPropertyValues("skipjack.worker.enabled=false")
        .run(
            context ->
                inTransaction(
                    context,
                    TransactionDefinition.PROPAGATION_REQUIRED,
                    outer -> {
                      enqueue(context, "outer");
                      inTransaction(
                          context,
                          TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                          inner -> enqueue(context, "inner"));
                      assertThat(heard()).isEqualTo("inner");
                      assertThat(heardSoon()).isEmpty();
                    }));
    assertThat(heard()).isEqualTo("outer");
  }

  /** The jobs that callbacks enqueue are committed after the last callback. */
  @Test
  void aCallbackAfterTheCommitCanEnqueue() {
    contexts.run(
        context -> {
          inTransaction(
              context,
              TransactionDefinition.PROPAGATION_REQUIRED,
              template ->
                  TransactionSynchronizationManager.registerSynchronization(
                      new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                          enqueue(context, "after-commit");
                        }

                        @Override
                        public void afterCompletion(int status) {
                          enqueue(context, "after-completion");
                        }
                      }));
          QueueAssertions.assertThat(database).hasExactly(2);
          List<WakeUp> heard = new ArrayList<>(subscription.await(Duration.ofSeconds(10)));
          heard.addAll(heardSoon());
          assertThat(heard)
              .extracting(wakeUp -> wakeUp.lane().queue())
              .containsExactlyInAnyOrder("after-commit", "after-completion");
        });
  }
}
