package dev.skipjack.examples.enqueueing;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A partner sends price lists. Each request creates one job, however often it is repeated. All jobs
 * record their sender and the trace of the call. The jobs are not urgent, so enqueueing them sends
 * no wake-up.
 *
 * <p>What goes wrong: a list is too long to be a payload, and the shop is closed for an inventory.
 * Both are refused before anything is written.
 */
public final class Imports {

  record PriceList(String sender, String text) {}

  static final JobType<PriceList> IMPORT = JobType.of("import", PriceList.class).onQueue("imports");

  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final int MANY = 100;

  private final AtomicBoolean closed = new AtomicBoolean();
  private final JobQueue queue;

  private Imports(DataSource dataSource) {
    this.queue = queue(dataSource);
  }

  // snippet: interceptor
  private JobQueue queue(DataSource dataSource) {
    return JobQueue.builder(dataSource)
        .payloadLimit(4_096)
        .interceptor(closing())
        .interceptor(tracing())
        .build();
  }

  /** If the interceptor throws, the caller receives the exception and nothing is written. */
  private EnqueueInterceptor closing() {
    return (jobs, next) -> {
      if (closed.get()) {
        throw new IllegalStateException("closed for an inventory");
      }
      return next.enqueue(jobs);
    };
  }

  /** Here a tracing library would supply the trace. */
  private static EnqueueInterceptor tracing() {
    return (jobs, next) ->
        next.enqueue(
            jobs.stream().map(job -> job.traced(TRACE).tagged(List.of("partner"))).toList());
  }

  // end of snippet

  // snippet: once
  /** Safe to repeat, because the request number is the idempotency key. */
  private EnqueueResult receive(String request, PriceList list) {
    return queue.enqueueOnce(IMPORT, list, job -> job.idempotencyKey(request).withoutWakeUp());
  }

  // end of snippet

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) throws InterruptedException {
    Imports imports = new Imports(dataSource);
    PriceList list = new PriceList("acme", "nails 3.50");
    EnqueueResult first = imports.receive("acme-1", list);
    EnqueueResult again = imports.receive("acme-1", list);
    out.println("repeated: " + (again.jobId().equals(first.jobId()) ? "the same job" : "another"));
    imports.describe(first.jobId(), out);

    out.println("too long: " + imports.refusal(new PriceList("acme", "nails ".repeat(1_000))));
    imports.closed.set(true);
    out.println("closed: " + imports.refusal(list));
    imports.closed.set(false);

    imports.queue.enqueueAll(
        IMPORT,
        IntStream.range(0, MANY).mapToObj(i -> new PriceList("bulk", "list " + i)).toList(),
        job -> job.withoutWakeUp());
    out.println("imported by polling alone: " + imports.poll());
  }

  private void describe(JobId id, PrintStream out) {
    var job = queue.reader().find(id).orElseThrow();
    out.println("tags " + job.summary().tags() + ", trace " + job.traceparent());
  }

  private String refusal(PriceList list) {
    try {
      receive("acme-2", list);
      return "not refused";
    } catch (PayloadException | IllegalStateException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  /** Runs a worker without wake-ups. Such a worker needs no connection for listening. */
  private int poll() throws InterruptedException {
    CountDownLatch open = new CountDownLatch(MANY + 1);
    WorkerConfig config =
        WorkerConfig.builder().wakeUps(false).pollInterval(Duration.ofMillis(50)).build();
    try (Worker worker =
        Worker.on(queue)
            .handle(IMPORT, (list, context) -> imported(context, open))
            .queue("imports", 4)
            .config(config)
            .build()) {
      worker.start();
      if (!open.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException(open.getCount() + " jobs were not found in 30 s.");
      }
    }
    return MANY + 1;
  }

  private static Outcome imported(JobContext context, CountDownLatch open) {
    if (context.traceparent().isPresent()) {
      open.countDown();
    }
    return Outcome.completed();
  }
}
