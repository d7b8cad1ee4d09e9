package dev.skipjack.examples.unique;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A document is indexed when its author pauses, and its readers get at most one email a day about
 * it, however often it changes.
 *
 * <p>What goes wrong: an author never pauses. The document is still indexed once its first change
 * has reached the maximum age.
 */
public final class SearchIndex {

  record Changed(String document, int revision) {}

  // snippet: settled
  static final JobType<Changed> INDEX = JobType.of("index", Changed.class);

  /** Runs with the last revision once the author pauses, or 2 s after the first at the latest. */
  static final Unique<Changed> WHEN_SETTLED =
      Unique.by(Changed::document)
          .untilStarted() // a change during indexing creates the next job
          .debounce(Duration.ofMillis(500), Duration.ofSeconds(2));

  static final JobType<Changed> NOTIFY_READERS = JobType.of("notify-readers", Changed.class);

  /** At most once a day, counted from the last email's enqueue, even if that job has ended. */
  static final Unique<Changed> DAILY = Unique.by(Changed::document).perPeriod(Duration.ofDays(1));

  // end of snippet

  private final JobQueue queue;
  private final UniqueJobs unique;
  private int revision;

  private SearchIndex(DataSource dataSource) {
    this.queue = JobQueue.on(dataSource);
    this.unique = UniqueJobs.on(queue);
  }

  private EnqueueResult change(String document) {
    return unique.enqueue(INDEX, new Changed(document, ++revision), WHEN_SETTLED);
  }

  private EnqueueResult notifyReaders(String document) {
    return unique.enqueue(NOTIFY_READERS, new Changed(document, revision), DAILY);
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
    SearchIndex index = new SearchIndex(dataSource);
    String poem = "poem-" + System.nanoTime();
    out.println("mail: " + describe(index.notifyReaders(poem)));
    try (Worker worker =
        Worker.on(index.queue)
            .handle(NOTIFY_READERS, (changed, context) -> Outcome.completed())
            .queue("default", 1)
            .build()) {
      out.println("mails sent: " + worker.runUntilIdle());
    }
    out.println("mail on the same day: " + describe(index.notifyReaders(poem)));

    for (int i = 1; i <= 3; i++) {
      out.println("change " + i + ": " + describe(index.change(poem)));
    }
    index.awaitIndexed(out, () -> {});
    // The author continues until the document is indexed.
    index.awaitIndexed(out, () -> index.change(poem));
  }

  /** Indexes one document while {@code meanwhile} runs repeatedly. */
  private void awaitIndexed(PrintStream out, Runnable meanwhile) throws InterruptedException {
    CountDownLatch indexed = new CountDownLatch(1);
    meanwhile.run();
    int first = revision;
    try (Worker worker =
        Worker.on(queue)
            .handle(
                INDEX,
                (changed, context) -> {
                  out.println(
                      changed.revision() > first
                          ? "indexed, although the author continued"
                          : "indexed revision " + changed.revision());
                  indexed.countDown();
                  return Outcome.completed();
                })
            .queue("default", 1)
            .build()) {
      worker.start();
      for (int i = 0; !indexed.await(50, TimeUnit.MILLISECONDS); i++) {
        if (i == 600) {
          throw new IllegalStateException("Nothing was indexed in 30 s.");
        }
        meanwhile.run();
      }
    }
  }

  private static String describe(EnqueueResult result) {
    return result.fold(
        enqueued -> "a new job",
        already -> "none, " + already.status(),
        replaced -> "the waiting job is changed");
  }
}
