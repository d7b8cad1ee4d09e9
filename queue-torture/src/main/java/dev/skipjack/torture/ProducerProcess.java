package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A producer in a process of its own. */
final class ProducerProcess {

  private static final int CONNECTIONS = 3;

  private ProducerProcess() {}

  /**
   * Goes on where the history ends, and ends when the last job is enqueued.
   *
   * @param args those of {@link ProcessSettings}, then seed, jobs, microseconds between them, and
   *     the milliseconds since 1970 at which the first was due
   */
  public static void main(String[] args) throws InterruptedException {
    ProcessSettings settings = ProcessSettings.of(args);
    long seed = Long.parseLong(args[4]);
    long jobs = Long.parseLong(args[5]);
    Duration gap = Duration.ofNanos(1_000 * Long.parseLong(args[6]));
    List<Event> before = HistoryFile.read(settings.folder(), settings.name());
    long begun = before.stream().filter(event -> event.type() == EventType.ASKED).count();
    long created =
        before.stream()
            .filter(event -> event.type() == EventType.ACKED)
            .filter(event -> event.detail().equals(Producer.CREATED))
            .count();
    Instant due = Instant.ofEpochMilli(Long.parseLong(args[7])).plus(gap.multipliedBy(begun));
    try (HistoryFile history = HistoryFile.open(settings.folder(), settings.name());
        HikariDataSource pool = settings.pool(CONNECTIONS)) {
      JobQueue queue = JobQueue.builder(pool).schema(settings.schema()).build();
      System.out.println(ProcessSettings.READY);
      new Producer(ProducerAccess.of(queue, pool), history, settings.name(), seed, Pace.FORKED)
          .produce(begun, jobs - created, Duration.between(due, Instant.now()), gap);
    }
  }
}
