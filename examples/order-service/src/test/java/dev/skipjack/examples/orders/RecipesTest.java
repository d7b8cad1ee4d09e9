package dev.skipjack.examples.orders;

import static dev.skipjack.examples.orders.Orders.CHARGE;
import static dev.skipjack.examples.orders.Orders.REMIND;
import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static dev.skipjack.testkit.QueueAssertions.assertThatJobs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.orders.Orders.OrderNumber;
import dev.skipjack.faults.AttemptFaults;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.InlineRuns;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.testkit.RecordingEnqueues;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The recipes of the guide to testing. */
// snippet: fixture
@QueueTest
class RecipesTest {

  private final QueueDatabase database;
  private final JobQueue queue;
  private final Orders orders;
  private final List<String> charged = new ArrayList<>();
  private final List<String> mails = new ArrayList<>();

  RecipesTest(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.on(database.dataSource());
    this.orders = orders(queue);
  }

  @BeforeAll
  static void migrate(QueueDatabase database) {
    ShopSchema.migrate(database.dataSource()); // the queue's tables exist already
  }

  private Orders orders(JobQueue queue) {
    return new Orders(
        database.dataSource(),
        queue,
        (number, cents) -> charged.add(number),
        (email, text) -> mails.add(text));
  }

  // end of snippet

  // snippet: enqueued
  @Test
  void placingAnOrderEnqueuesChargeAndReminder() throws SQLException {
    orders.place(new Order("A-1", "ada@example.org", 1_999));

    assertThat(database).hasEnqueued(CHARGE).withPayload(new OrderNumber("A-1")).times(1);
    assertThat(database)
        .hasEnqueued(REMIND)
        .withPayloadSatisfying(job -> assertThat(job.number()).isEqualTo("A-1"))
        .onQueue("orders")
        .dueIn(Duration.ofDays(1))
        .times(1);
    assertThat(database).hasExactly(2);
  }

  // end of snippet

  // snippet: transaction
  @Test
  void rolledBackOrderLeavesNoJobs() throws SQLException {
    try (Connection transaction = database.connection()) {
      transaction.setAutoCommit(false);
      orders.place(transaction, new Order("A-2", "ada@example.org", 1_999));

      assertThatJobs(transaction, database.schema()).hasEnqueued(CHARGE).times(1);
      transaction.rollback();
    }
    assertThat(database).hasNotEnqueued(CHARGE).hasNoJobs();
  }

  // end of snippet

  // snippet: due
  @Test
  void dueJobsRunInTheTestThread() throws SQLException {
    orders.place(new Order("A-3", "ada@example.org", 1_999));
    JobRuns runs = JobRuns.with(orders.worker().build(), database);

    assertThat(runs.due()).isEqualTo(1);

    assertThat(charged).containsExactly("A-3");
    assertThat(orders.isPaid("A-3")).isTrue();
    assertThat(database).hasEnqueued(CHARGE).onlyJob().isCompleted().hasAttempts(1).hasNoError();
    assertThat(database).hasEnqueued(REMIND).onlyJob().isPending();
  }

  // end of snippet

  // snippet: handler
  @Test
  void oneJobRunsWithAHandlerOfTheTest() throws SQLException {
    orders.place(new Order("A-4", "ada@example.org", 1_999));
    Worker worker =
        Worker.on(queue)
            .handle(CHARGE, (job, context) -> Outcome.snooze(Duration.ofHours(2)))
            .queue("orders", 1)
            .build();

    assertThat(JobRuns.with(worker, database).next()).isTrue();

    assertThat(database).hasEnqueued(CHARGE).onlyJob().isDueIn(Duration.ofHours(2));
  }

  // end of snippet

  // snippet: time
  @Test
  void customerIsRemindedOfAnUnpaidOrderAfterADay() throws SQLException {
    Payments closed =
        (number, cents) -> {
          throw new IOException("bank is closed");
        };
    Orders unpaid =
        new Orders(database.dataSource(), queue, closed, (email, text) -> mails.add(text));
    unpaid.place(new Order("A-5", "ada@example.org", 1_999));
    JobRuns runs = JobRuns.with(unpaid.worker().build(), database);

    runs.dueWithin(Duration.ofHours(23));
    assertThat(mails).isEmpty();

    runs.dueWithin(Duration.ofHours(1));
    assertThat(mails).containsExactly("Your order A-5 is not paid yet.");
  }

  // end of snippet

  @Test
  void chargeIsRetriedUntilTheBankAcceptsIt() throws SQLException {
    orders.place(new Order("A-6", "ada@example.org", 1_999));
    AttemptFaults bank = new AttemptFaults();
    bank.failNext(3, () -> new IOException("bank is closed"));
    Worker worker =
        orders.worker().interceptor((context, next) -> bank.around(next::proceed)).build();
    JobRuns runs = JobRuns.with(worker, database);

    runs.due();
    assertThat(database)
        .hasEnqueued(CHARGE)
        .onlyJob()
        .hasLastErrorContaining("closed")
        .isDueWithin(Duration.ofMinutes(1));

    runs.toTheEnd(); // without waiting for the backoff
    assertThat(database).hasEnqueued(CHARGE).onlyJob().isCompleted().hasAttempts(4);
  }

  // snippet: dead
  @Test
  void declinedChargeBecomesADeadLetterAndIsRedriven() throws SQLException {
    orders.place(new Order("A-7", "ada@example.org", 1_999));
    AttemptFaults bank = new AttemptFaults();
    bank.failNext(1, () -> new CardDeclined("A-7"));
    Worker worker =
        orders.worker().interceptor((context, next) -> bank.around(next::proceed)).build();
    JobRuns runs = JobRuns.with(worker, database);

    runs.due();
    assertThat(database).hasDeadLetter(CHARGE).withErrorContaining("declined").times(1);

    JobId job = assertThat(database).hasEnqueued(CHARGE).onlyJob().isDead().actual();
    queue.admin().redrive(List.of(job));
    runs.due();
    assertThatJob(database, job).isCompleted().hasAttempts(2);
    assertThat(database).hasNoDeadLetters();
  }

  // end of snippet

  // snippet: lease
  @Test
  void orderIsChargedTwiceButPaidOnceAfterALostLease() throws SQLException {
    orders.place(new Order("A-8", "ada@example.org", 1_999));
    Worker worker =
        orders
            .worker()
            .interceptor(
                (context, next) -> {
                  if (context.attempt() == 1) {
                    // as if the worker had been frozen for minutes
                    database.loseLease(context.jobId(), queue);
                  }
                  return next.proceed();
                })
            .build();

    JobRuns.with(worker, database).due();

    assertThat(charged)
        .containsExactly("A-8", "A-8"); // so the bank needs the order's number as a key
    assertThat(orders.isPaid("A-8")).isTrue();
    assertThat(database).hasEnqueued(CHARGE).onlyJob().isCompleted().hasAttempts(2);
  }

  // end of snippet

  // snippet: commit
  @Test
  void orderIsPlacedOnceWhenItsCommitIsNotAcknowledged() throws SQLException {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Orders remote = new Orders(faulty, queue, (number, cents) -> {}, (email, text) -> {});
    Order order = new Order("A-9", "ada@example.org", 1_999);

    faulty.cutAfterCommit(1); // committed, but the client does not know
    assertThatThrownBy(() -> remote.place(order)).isInstanceOf(SQLException.class);
    remote.place(order);

    assertThat(database).hasEnqueued(CHARGE).times(1);
  }

  // end of snippet

  // snippet: inline
  @Test
  void reminderHasRunWhenTheEnqueueReturns() throws SQLException {
    InlineRuns inline = new InlineRuns();
    RecordingEnqueues recorded = new RecordingEnqueues();
    Orders direct =
        orders(
            JobQueue.builder(database.dataSource())
                .interceptor(inline)
                .interceptor(recorded)
                .build());
    inline.by(direct.worker().build());
    direct.place(new Order("A-10", "ada@example.org", 1_999));

    JobId job = direct.remind("A-10");

    assertThatJob(database, job).isCancelled().hasLastErrorContaining("order is paid");
    assertThat(recorded.of(REMIND)).hasSize(2);
    assertThat(charged).containsExactly("A-10");
  }

  // end of snippet

  // snippet: kill
  @Test
  void orderIsChargedAfterItsProcessIsKilled() throws SQLException {
    orders.place(new Order("A-11", "ada@example.org", 1_999));
    try (ForkedJvm service =
        ForkedJvm.of(HangingService.class).arguments(database.jdbcUrl()).start()) {
      service.awaitLine("charging A-11", Duration.ofSeconds(60));
      service.kill();
    }
    JobId job = assertThat(database).hasEnqueued(CHARGE).onlyJob().isRunning().actual();

    database.loseLease(job, queue); // the lease would expire on its own later
    JobRuns.with(orders.worker().build(), database).due();

    assertThat(charged).containsExactly("A-11");
    assertThatJob(database, job).isCompleted().hasAttempts(2);
  }

  // end of snippet

  // snippet: network
  @Test
  void committedPaymentIsNotRepeatedWhenTheAcknowledgementIsLost() throws SQLException {
    orders.place(new Order("A-12", "ada@example.org", 1_999));
    try (TcpProxy proxy = TcpProxy.before(database.jdbcUrl());
        HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(proxy.url(database.jdbcUrl()));
      Payments bank =
          (number, cents) -> {
            charged.add(number);
            proxy.cutAfterCommit(1);
          };
      Orders remote = new Orders(pool, queue, bank, (email, text) -> mails.add(text));

      JobRuns.with(remote.worker().build(), database).due();

      assertThat(proxy.cutCommits()).isEqualTo(1);
    }
    assertThat(charged).containsExactly("A-12");
    assertThat(database).hasEnqueued(CHARGE).onlyJob().isCompleted().hasAttempts(1);
  }
  // end of snippet
}
