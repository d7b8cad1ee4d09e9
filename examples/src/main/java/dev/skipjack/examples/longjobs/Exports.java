package dev.skipjack.examples.longjobs;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Exports take minutes. They report their progress, and end soon after an operator cancels them.
 * While another service converts a file, no thread is blocked.
 *
 * <p>What goes wrong: an operator cancels an export that is half done.
 */
public final class Exports {

  private static final Logger LOG = Logger.getLogger(Exports.class.getName());

  private static final Duration STEP = Duration.ofMillis(20);

  record Export(String table, int pages) {}

  record Convert(String file) {}

  static final JobType<Export> EXPORT =
      JobType.of("export", Export.class).timeout(Duration.ofMinutes(30));

  static final JobType<Convert> CONVERT = JobType.of("convert", Convert.class);

  private Exports() {}

  // snippet: progress
  static Outcome export(Export export, JobContext context) throws InterruptedException {
    for (int page = 1; page <= export.pages(); page++) {
      write(export.table(), page); // interrupted when cancelled, timed out or shut down
      context.progress(100 * page / export.pages(), "page " + page);
    }
    return Outcome.completed();
  }

  // end of snippet

  // snippet: async
  static Outcome convert(Convert convert, JobContext context) {
    return Outcome.async(
        convertElsewhere(convert.file()).thenApply(size -> Outcome.completed(size)));
  }

  // end of snippet

  private static void write(String table, int page) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
    LOG.fine(() -> "page %d of %s is written".formatted(page, table));
  }

  private static CompletionStage<Integer> convertElsewhere(String file) {
    Executor answersLater = CompletableFuture.delayedExecutor(STEP.toNanos(), TimeUnit.NANOSECONDS);
    return CompletableFuture.supplyAsync(file::length, answersLater);
  }

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
    JobQueue queue = JobQueue.on(dataSource);
    JobId converted = queue.enqueue(CONVERT, new Convert("letters.odt"));
    JobId exported = queue.enqueue(EXPORT, new Export("orders", 1_000_000));
    // Renews leases every 100 ms, so that progress and cancellation are visible soon.
    WorkerConfig config = WorkerConfig.builder().lease(Duration.ofMillis(300)).build();
    try (Worker worker =
        Worker.on(queue)
            .handle(EXPORT, Exports::export)
            .handle(CONVERT, Exports::convert)
            .queue("default", 2)
            .config(config)
            .start()) {
      out.println("worker " + worker.id() + " has begun");
      await(queue.reader(), converted, status -> status == JobStatus.COMPLETED);
      out.println("converted: " + queue.reader().find(converted).orElseThrow().result());
      while (queue.reader().find(exported).orElseThrow().progress() == null) {
        TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
      }
      out.println("export: " + queue.reader().find(exported).orElseThrow().progress());
      out.println("cancel: " + queue.admin().cancel(List.of(exported)));
      await(queue.reader(), exported, status -> status == JobStatus.CANCELLED);
      out.println("export: " + queue.reader().find(exported).orElseThrow().summary().status());
    }
  }

  private static void await(JobReader reader, JobId job, Predicate<JobStatus> reached)
      throws InterruptedException {
    while (!reached.test(reader.find(job).orElseThrow().summary().status())) {
      TimeUnit.NANOSECONDS.sleep(STEP.toNanos());
    }
  }
}
