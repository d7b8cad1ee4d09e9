package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests an application with two queues, the second of which has the outbox. */
@QueueTest
class OutboxOfSeveralQueuesTest {

  private static final Event EVENT = Event.of("order", 1, "order-placed");

  private final DataSource first;
  private final DataSource second;
  private final ApplicationContextRunner contexts;

  OutboxOfSeveralQueuesTest(QueueDatabase database) {
    this.first = database.dataSource();
    this.second = Contexts.pool(database);
    this.contexts = Contexts.on(database);
  }

  private ApplicationContextRunner queues(boolean firstIsPrimary) {
    JobQueue withOutbox = JobQueue.on(second);
    return contexts
        .withBean(
            "first",
            JobQueue.class,
            () -> JobQueue.on(first),
            bean -> bean.setPrimary(firstIsPrimary))
        .withBean("second", JobQueue.class, () -> withOutbox)
        .withBean(Outbox.class, () -> Outbox.on(withOutbox));
  }

  private static TransactionTemplate transaction(DataSource dataSource) {
    return new TransactionTemplate(new JdbcTransactionManager(dataSource));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eventsAreRecordedInTransactionsOfTheOutboxsQueue(boolean firstIsPrimary) {
    queues(firstIsPrimary)
        .run(
            context -> {
              EventRecorder events = context.getBean(EventRecorder.class);
              transaction(second).executeWithoutResult(tx -> events.record(EVENT));
              assertThat(context.getBean(Outbox.class).admin().lag().unpublished()).isOne();
              assertThatExceptionOfType(IllegalTransactionStateException.class)
                  .isThrownBy(
                      () -> transaction(first).executeWithoutResult(tx -> events.record(EVENT)));
            });
  }

  @Test
  void theApplicationsOwnRecorderReplacesThatOfTheStarter() {
    EventRecorder own = events -> List.of();
    contexts
        .withBean("events", EventRecorder.class, () -> own)
        .run(context -> assertThat(context.getBean(EventRecorder.class)).isSameAs(own));
  }
}
