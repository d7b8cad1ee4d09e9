package dev.skipjack.handlers;

import static dev.skipjack.testkit.QueueAssertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

@QueueTest
class HandlerRunsTest {

  record Order(String number) {}

  record Receipt(String number, int attempt) {}

  static final JobType<Order> SHIP = JobType.of("ship", Order.class);
  static final JobType<Order> CHARGE = JobType.of("charge", Order.class);
  static final JobType<Order> REVIEW = JobType.of("review", Order.class);
  static final JobType<Order> PRINT = JobType.of("print", Order.class);
  static final JobType<Order> ARCHIVE =
      JobType.of("archive", Order.class).deadOn(IOException.class);
  static final JobType<Order> AUDIT = JobType.of("audit", Order.class);

  @SuppressWarnings("DoNotCallSuggester") // Workers call the methods.
  static final class Orders {
    @JobHandler("ship")
    void ship(Order order) {}

    @JobHandler("charge")
    Receipt charge(Order order, JobContext context) {
      return new Receipt(order.number(), context.attempt());
    }

    @JobHandler("review")
    Outcome review(JobContext context, Order order) {
      return Outcome.cancelled("order " + order.number() + " is closed");
    }

    @JobHandler("print")
    CompletionStage<Outcome> print(Order order) {
      return CompletableFuture.completedFuture(Outcome.dead("no paper for " + order.number()));
    }

    @JobHandler("archive")
    void archive(Order order) throws IOException {
      throw new IOException("disk full");
    }

    @JobHandler("audit")
    void audit(Order order) {
      throw new AssertionError("unbalanced");
    }
  }

  private final QueueDatabase database;
  private final JobQueue queue;

  HandlerRunsTest(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.on(database.dataSource());
  }

  private JobId run(JobType<Order> type) {
    JobId job = queue.enqueue(type, new Order("4711"));
    Worker.Builder worker = Worker.on(queue).queue(JobType.DEFAULT_QUEUE, 1);
    JobHandlers.builder().type(SHIP).type(ARCHIVE).scan(new Orders()).build().addTo(worker);
    worker.build().runUntilIdle();
    return job;
  }

  @Test
  void aJobIsCompletedAfterAMethodThatReturnsNothing() {
    run(SHIP);
    assertThat(database).hasEnqueued(SHIP).inStatus(JobStatus.COMPLETED).times(1);
  }

  @Test
  void aReturnedObjectIsTheResult() {
    JobId charge = run(CHARGE);
    JobDetails charged = queue.reader().find(charge).orElseThrow();
    Assertions.assertThat(charged.result()).contains("4711", "\"attempt\": 1");
  }

  @Test
  void aReturnedOutcomeIsTheOutcomeOfTheAttempt() {
    run(REVIEW);
    assertThat(database).hasEnqueued(REVIEW).inStatus(JobStatus.CANCELLED).times(1);
  }

  @Test
  void theOutcomeOfAReturnedStageIsTheOutcome() {
    run(PRINT);
    assertThat(database).hasDeadLetter(PRINT).withErrorContaining("no paper for 4711");
  }

  @Test
  void aCheckedExceptionReachesTheRulesOfTheType() {
    run(ARCHIVE);
    assertThat(database).hasDeadLetter(ARCHIVE).withErrorContaining("disk full");
  }

  private void runInTransactions(
      HandlerTransactions transactions, dev.skipjack.worker.Handler<Order> handler) {
    queue.enqueue(SHIP, new Order("4711"));
    Worker.on(queue)
        .queue(JobType.DEFAULT_QUEUE, 1)
        .handle(SHIP, transactions.transactional(handler))
        .build()
        .runUntilIdle();
  }

  @Test
  void transactionsThatNeverCompleteTheJobFailTheAttempt() {
    runInTransactions(
        (handler, completion) -> handler.call(), (order, context) -> Outcome.completed());
    assertThat(database)
        .hasEnqueued(SHIP)
        .withErrorContaining("neither completed the job nor threw an exception")
        .times(1);
  }

  @Test
  void anAsynchronousOutcomeFailsATransactionalAttempt() {
    runInTransactions(
        (handler, completion) -> handler.call(),
        (order, context) -> Outcome.async(CompletableFuture.completedFuture(Outcome.completed())));
    assertThat(database)
        .hasEnqueued(SHIP)
        .withErrorContaining(
            "transactional handler of kind 'ship' returned an asynchronous outcome")
        .times(1);
  }

  @Test
  void anErrorFailsTheAttempt() {
    run(AUDIT);
    assertThat(database).hasEnqueued(AUDIT).withErrorContaining("unbalanced").times(1);
  }
}
