package dev.skipjack.examples.secrets;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.ErrorRedactor;
import dev.skipjack.worker.HandlerThreads;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A payment provider's exceptions contain card numbers. The messages that are stored with the job,
 * reported to listeners and logged do not contain them.
 *
 * <p>What goes wrong: the redactor itself fails on an unexpected response. No part of the response
 * is kept, and the job continues normally.
 */
public final class Redacted {

  static final JobType<String> PAY = JobType.of("pay", String.class).maxAttempts(1);

  private Redacted() {}

  // snippet: redactor
  private static final Pattern CARD_NUMBER = Pattern.compile("\\d(?:[ -]?\\d){12,18}");

  static ErrorRedactor withoutCardNumbers() {
    return text -> {
      if (text.contains("<html>")) {
        throw new IllegalArgumentException("a page instead of a response");
      }
      return CARD_NUMBER.matcher(text).replaceAll("[card]");
    };
  }

  static Worker.Builder worker(JobQueue queue) {
    return Worker.on(queue)
        .queue("default", 100)
        .handlerThreads(threads())
        .redactor(withoutCardNumbers());
  }

  /** Makes the same choice as automatic(). */
  static HandlerThreads threads() {
    return Runtime.version().feature() >= 21
        ? HandlerThreads.virtual() // the handlers mostly wait for the provider
        : HandlerThreads.platform();
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
    JobQueue queue = JobQueue.on(dataSource);
    List<JobId> jobs =
        queue.enqueueAll(PAY, List.of("card 4111 1111 1111 1111 expired", "<html>502</html>"));
    CountDownLatch ended = new CountDownLatch(jobs.size());
    try (Worker worker =
        worker(queue)
            .handle(PAY, (answer, context) -> pay(answer))
            .listener(
                event -> {
                  if (event instanceof WorkerEvent.Dead) {
                    ended.countDown();
                  }
                })
            .build()) {
      worker.start();
      if (!ended.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The jobs did not end in 30 s.");
      }
    }
    out.println("handlers ran on " + threads() + " threads");
    for (JobId job : jobs) {
      out.println("kept: " + queue.reader().find(job).orElseThrow().summary().lastError());
    }
  }

  private static Outcome pay(String answer) {
    throw new IllegalStateException("provider says: " + answer);
  }
}
