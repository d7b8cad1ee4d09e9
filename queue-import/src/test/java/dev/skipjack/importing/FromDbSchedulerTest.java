package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.Serializable;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the code of docs/guides/from-another-queue.md. */
@QueueTest
class FromDbSchedulerTest {

  record Invoice(int number) implements Serializable {}

  private final BlockingQueue<Integer> sent = new LinkedBlockingQueue<>();
  private DataSource dataSource;
  private JobQueue queue;

  @BeforeEach
  void createTheTable(QueueDatabase database) throws SQLException {
    this.dataSource = database.dataSource();
    this.queue = JobQueue.builder(dataSource).schema(database.schema()).build();
    DbSchedulerTable.create(database);
  }

  private void mail(Invoice invoice) {
    sent.add(invoice.number());
  }

  static final TaskDescriptor<Invoice> SEND = TaskDescriptor.of("sendInvoice", Invoice.class);

  final OneTimeTask<Invoice> task =
      Tasks.oneTime(SEND)
          .onFailure(
              FailureHandler.<Invoice>maxRetries(5).retryEvery(Duration.ofMinutes(1)).thenRemove())
          .execute((instance, context) -> mail(instance.getData()));

  void schedule(SchedulerClient client, Invoice invoice, Instant due) {
    client.scheduleIfNotExists(SEND.instance("" + invoice.number()).data(invoice).scheduledTo(due));
  }

  // snippet: after
  static final JobType<Invoice> SEND_INVOICE =
      JobType.of("send-invoice", Invoice.class)
          .maxAttempts(6)
          .retry(Backoff.fixed(Duration.ofMinutes(1)));

  void enqueue(Invoice invoice, Instant due) {
    queue.enqueue(SEND_INVOICE, invoice, job -> job.at(due));
  }

  // end of snippet

  Worker worker() {
    return Worker.on(queue)
        .handle(
            SEND_INVOICE,
            (invoice, context) -> {
              mail(invoice);
              return Outcome.completed();
            })
        .queue("default", 10)
        .build();
  }

  // snippet: move
  ImportReport moveInvoices() throws SQLException {
    Importer importer =
        Importer.from(Source.dbScheduler("scheduled_tasks"))
            .into(queue)
            .type("sendInvoice", SEND_INVOICE) // payloads must decode as Invoice
            .payload("sendInvoice", SerializedPayload.of(queue.codec(), Invoice.class))
            .build();
    return importer.run(dataSource);
  }

  // end of snippet

  @Test
  void theCodeBeforeAndAfterDoesTheSame() throws SQLException, InterruptedException {
    SchedulerClient client = SchedulerClient.Builder.create(dataSource, task).build();
    Scheduler scheduler = Scheduler.create(dataSource, task).build();
    schedule(client, new Invoice(1), Instant.now());
    scheduler.start();
    assertThat(sent.poll(1, TimeUnit.MINUTES)).isEqualTo(1);
    scheduler.stop();
    schedule(client, new Invoice(2), Instant.now());
    enqueue(new Invoice(3), Instant.now());

    ImportReport report = moveInvoices();
    try (Worker worker = worker()) {
      worker.runUntilIdle();
    }

    assertThat(report.stayed()).isEmpty();
    assertThat(sent).containsExactlyInAnyOrder(2, 3);
  }
}
