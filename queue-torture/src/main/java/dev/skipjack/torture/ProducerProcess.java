package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The main class of a producer's process. */
final class ProducerProcess {

  private static final int CONNECTIONS = 3;

  private ProducerProcess() {}

  /**
   * Continues after the last job in the history, and exits when all jobs are enqueued.
   *
   * @param args the arguments of {@link ProcessSettings}, then the seed, the number of jobs, the
   *     microseconds between two jobs, and the time at which the first is due, in milliseconds
   *     since 1970
   */
  public static void main(String[] args) throws InterruptedException {
    ProcessSettings settings = ProcessSettings.of(args);
    long seed = Long.parseLong(args[4]);
    long jobs = Long.parseLong(args[5]);
    Duration gap = Duration.ofNanos(1_000 * Long.parseLong(args[6]));
    List<Event> before = HistoryFile.read(settings.folder(), settings.name());
    long requested = before.stream().filter(event -> event.type() == EventType.REQUESTED).count();
    long created =
        before.stream()
            .filter(event -> event.type() == EventType.ACKNOWLEDGED)
            .filter(event -> event.detail().equals(Producer.CREATED))
            .count();
    Instant due = Instant.ofEpochMilli(Long.parseLong(args[7])).plus(gap.multipliedBy(requested));
    try (HistoryFile history = HistoryFile.open(settings.folder(), settings.name());
        HikariDataSource pool = settings.pool(CONNECTIONS)) {
      JobQueue queue = JobQueue.builder(pool).schema(settings.schema()).build();
      System.out.println(ProcessSettings.READY);
      new Producer(
              ProducerAccess.of(queue, pool),
              history,
              settings.name(),
              seed,
              Pace.FORKED,
              Producer::draw)
          .produce(requested, jobs - created, Duration.between(due, Instant.now()), gap);
    }
  }
}
