package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.skipjack.api.JobType;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tests that each way to write jobs and events commits and rolls back with the caller's
 * transaction.
 */
@QueueTest
class TrapsTest {

  record Mail(String user) {}

  private static final JobType<Mail> MAIL = JobType.of("mail", Mail.class);
  private static final Unique<Mail> ONE_PER_USER = Unique.by(Mail::user);

  /** A way to write to the queue's tables in a transaction. */
  enum Way {
    JOB(1, (context, user) -> context.getBean(Jobs.class).enqueue(MAIL, new Mail(user))),
    JOBS(
        2,
        (context, user) ->
            context
                .getBean(Jobs.class)
                .enqueueAll(MAIL, List.of(new Mail(user), new Mail(user + "2")))),
    UNIQUE_JOB(
        1,
        (context, user) ->
            context.getBean(UniqueEnqueuer.class).enqueue(MAIL, new Mail(user), ONE_PER_USER)),
    UNIQUE_JOBS(
        2,
        (context, user) ->
            context
                .getBean(UniqueEnqueuer.class)
                .enqueueAll(MAIL, List.of(new Mail(user), new Mail(user + "2")), ONE_PER_USER)),
    EVENT(
        1,
        (context, user) ->
            context.getBean(EventRecorder.class).record(Event.of("user", user, "signed-up"))),
    EVENTS(
        2,
        (context, user) ->
            context
                .getBean(EventRecorder.class)
                .recordAll(
                    List.of(
                        Event.of("user", user, "signed-up"), Event.of("user", user, "greeted"))));

    private final int rows;

    @SuppressWarnings("ImmutableEnumChecker") // the lambdas have no state
    private final BiConsumer<ApplicationContext, String> write;

    Way(int rows, BiConsumer<ApplicationContext, String> write) {
      this.rows = rows;
      this.write = write;
    }

    boolean isEvent() {
      return this == EVENT || this == EVENTS;
    }
  }

  private final QueueDatabase database;
  private final JdbcTemplate outside;
  private final ApplicationContextRunner contexts;

  TrapsTest(QueueDatabase database) {
    this.database = database;
    this.outside = new JdbcTemplate(database.dataSource());
    this.contexts = Contexts.on(database).withPropertyValues("skipjack.worker.enabled=false");
  }

  @BeforeEach
  void createUsers() {
    outside.execute("CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY)");
    outside.execute("TRUNCATE users");
  }

  private static TransactionTemplate transaction(ApplicationContext context, int propagation) {
    TransactionTemplate template =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    template.setPropagationBehavior(propagation);
    return template;
  }

  private static TransactionTemplate transaction(ApplicationContext context) {
    return transaction(context, TransactionDefinition.PROPAGATION_REQUIRED);
  }

  private static void signUp(ApplicationContext context, Way way, String user) {
    context.getBean(JdbcTemplate.class).update("INSERT INTO users VALUES (?)", user);
    way.write.accept(context, user);
  }

  private long users() {
    return count("SELECT count(*) FROM users");
  }

  private long written() {
    return count("SELECT count(*) FROM skipjack.jobs")
        + count("SELECT count(*) FROM skipjack.outbox_events");
  }

  private long count(String query) {
    Long count = outside.queryForObject(query, Long.class);
    return count == null ? 0 : count;
  }

  private void assertWritten(int users, int rows) {
    assertThat(users()).as("users").isEqualTo(users);
    assertThat(written()).as("jobs or events").isEqualTo(rows);
  }

  @ParameterizedTest
  @EnumSource
  void writesAreCommittedWithTheTransaction(Way way) {
    contexts.run(
        context -> transaction(context).executeWithoutResult(tx -> signUp(context, way, "ada")));
    assertWritten(1, way.rows);
  }

  @ParameterizedTest
  @EnumSource
  void writesAreRolledBackWithTheTransaction(Way way) {
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    tx -> {
                      signUp(context, way, "ada");
                      tx.setRollbackOnly();
                    }));
    assertWritten(0, 0);
  }

  @ParameterizedTest
  @EnumSource
  void writesAreRolledBackToTheSavepoint(Way way) {
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    outer -> {
                      signUp(context, way, "kept");
                      transaction(context, TransactionDefinition.PROPAGATION_NESTED)
                          .executeWithoutResult(
                              inner -> {
                                signUp(context, way, "dropped");
                                inner.setRollbackOnly();
                              });
                    }));
    assertWritten(1, way.rows);
  }

  @ParameterizedTest
  @EnumSource
  void innerTransactionCommittedAndOuterRolledBack(Way way) {
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    outer -> {
                      signUp(context, way, "outer");
                      transaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                          .executeWithoutResult(inner -> signUp(context, way, "inner"));
                      outer.setRollbackOnly();
                    }));
    assertWritten(1, way.rows);
  }

  @ParameterizedTest
  @EnumSource
  void innerTransactionRolledBackAndOuterCommitted(Way way) {
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    outer -> {
                      signUp(context, way, "outer");
                      transaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                          .executeWithoutResult(
                              inner -> {
                                signUp(context, way, "inner");
                                inner.setRollbackOnly();
                              });
                    }));
    assertWritten(1, way.rows);
  }

  @ParameterizedTest
  @EnumSource
  void aReadOnlyTransactionIsRefused(Way way) {
    contexts.run(
        context -> {
          TransactionTemplate readOnly = transaction(context);
          readOnly.setReadOnly(true);
          assertThatExceptionOfType(IllegalTransactionStateException.class)
              .isThrownBy(
                  () -> readOnly.executeWithoutResult(tx -> way.write.accept(context, "ada")))
              .withMessageContaining("Remove readOnly = true");
        });
    assertWritten(0, 0);
  }

  @ParameterizedTest
  @EnumSource
  void onlyEventsRequireATransaction(Way way) {
    contexts.run(
        context -> {
          if (way.isEvent()) {
            assertThatExceptionOfType(IllegalTransactionStateException.class)
                .isThrownBy(() -> way.write.accept(context, "ada"))
                .withMessageStartingWith(getClass().getName())
                .withMessageEndingWith(
                    "recorded an event of type 'signed-up' without a transaction on the queue's"
                        + " data source, which an event requires. Annotate the method with"
                        + " @Transactional.");
          } else {
            way.write.accept(context, "ada");
          }
        });
    assertWritten(0, way.isEvent() ? 0 : way.rows);
  }

  @ParameterizedTest
  @EnumSource
  void aMissingMandatoryTransactionIsRefused(Way way) {
    contexts
        .withPropertyValues("skipjack.enqueue.transaction=mandatory")
        .run(
            context ->
                assertThatExceptionOfType(IllegalTransactionStateException.class)
                    .isThrownBy(() -> way.write.accept(context, "ada"))
                    .withMessageContaining("without a transaction on the queue's data source"));
    assertWritten(0, 0);
  }

  /**
   * The connection is still bound to the thread, but nothing would commit what is written on it.
   */
  @ParameterizedTest
  @EnumSource
  void afterTheCommitJobsAreWrittenAndEventsAreRefused(Way way) {
    // Spring logs what a callback throws, and continues.
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    tx ->
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void afterCompletion(int status) {
                                thrown.set(catchThrowable(() -> way.write.accept(context, "ada")));
                              }
                            })));
    if (way.isEvent()) {
      assertThat(thrown.get())
          .isInstanceOf(IllegalTransactionStateException.class)
          .hasMessageContaining("after the end of the transaction");
    } else {
      assertThat(thrown.get()).isNull();
    }
    assertWritten(0, way.isEvent() ? 0 : way.rows);
  }

  /** UniqueJobs commits at once, so Spring must not inject it as the enqueuer. */
  @Test
  void uniqueJobsOfTheApplicationAreNotInjectedAsEnqueuer() {
    contexts
        .withBean(UniqueJobs.class, () -> UniqueJobs.on(JobQueue.on(database.dataSource())))
        .run(
            context ->
                transaction(context)
                    .executeWithoutResult(
                        tx -> {
                          Way.UNIQUE_JOB.write.accept(context, "ada");
                          tx.setRollbackOnly();
                        }));
    assertWritten(0, 0);
  }

  @Test
  void duplicatesAreFoundWithinTheTransaction() {
    contexts.run(
        context ->
            transaction(context)
                .executeWithoutResult(
                    tx -> {
                      Way.UNIQUE_JOB.write.accept(context, "ada");
                      Way.UNIQUE_JOB.write.accept(context, "ada");
                    }));
    assertWritten(0, 1);
  }
}
