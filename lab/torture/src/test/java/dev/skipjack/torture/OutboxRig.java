package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A run of the outbox alone, within one process and without faults. It uses the producer, the
 * destination and the checker of a full run.
 */
final class OutboxRig {

  private static final int PRODUCERS = 8;
  static final int TRANSACTIONS = 100;
  private static final Duration MAX_DELAY = Duration.ofMillis(100);

  /** A lease so long that no relay loses it, even on a slow machine. */
  private static final Duration LEASE = Duration.ofMinutes(10);

  /** The time without progress after which the drain of an outbox is abandoned. */
  private static final Duration NO_PROGRESS = Duration.ofMinutes(1);

  /** The same time for a relay that never publishes all events. */
  private static final Duration NO_PROGRESS_OF_CURSOR = Duration.ofSeconds(3);

  private final QueueDatabase database;
  private final Path folder;
  private final @Nullable BrokenOutbox broken;
  private final Sql sql;

  /**
   * @param database an empty database
   * @param broken the broken outbox; null for the real one
   */
  OutboxRig(QueueDatabase database, Path folder, @Nullable BrokenOutbox broken) {
    this.database = database;
    this.folder = folder;
    this.broken = broken;
    this.sql = new Sql(database.dataSource(), database.schema());
  }

  @SuppressWarnings("try") // the relays work without being called
  TortureReport run(long seed) throws Exception {
    for (String table : TortureDatabase.TABLES) {
      sql.run(table);
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try (HistoryFile history = HistoryFile.open(folder, "producer-1");
        HikariDataSource pool = database.newDataSource(3 * PRODUCERS);
        Destination destination = destination(pool)) {
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
      EventOperator operator = new EventOperator(Outbox.on(queue).admin(), history);
      if (broken == null) {
        try (EventRelay one = EventRelay.start(queue, "worker-1", destination, LEASE, true);
            EventRelay other = EventRelay.start(queue, "worker-2", destination, LEASE, false)) {
          produce(queue, pool, operator, history, seed, threads);
          Destination.heal(folder);
          drain(operator);
        }
      } else {
        runBroken(
            broken,
            destination,
            operator,
            threads,
            () -> produce(queue, pool, operator, history, seed, threads));
      }
    } finally {
      threads.shutdownNow();
    }
    if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("The threads did not end.");
    }
    FinalRead read = FinalReader.read(database.dataSource(), database.schema());
    return TortureReport.of(Map.of(), HistoryFile.readAll(folder), read, Pace.FORKED);
  }

  private Destination destination(HikariDataSource pool) {
    Inbox inbox = Inbox.on(JobQueue.builder(pool).schema(database.schema()).build(), "torture");
    InboxConsumer.Filter filter = broken == null ? inbox::once : broken.inbox(inbox);
    return Destination.open(
        folder,
        "worker-1",
        HistoryClock.ofWall(),
        new InboxConsumer(pool, database.schema(), filter));
  }

  /**
   * Starts the relays after the production, so that the violation does not depend on the machine's
   * speed. Only a relay that misses late commits runs during the production.
   */
  private void runBroken(
      BrokenOutbox outbox,
      Destination destination,
      EventOperator operator,
      ExecutorService threads,
      Production production)
      throws Exception {
    boolean missesLateCommits = outbox == BrokenOutbox.READS_BY_A_CURSOR;
    if (!missesLateCommits) {
      production.run();
    }
    List<NaiveRelay> relays = new ArrayList<>();
    List<Future<?>> running = new ArrayList<>();
    for (int n = 0; n < outbox.relays(); n++) {
      NaiveRelay relay = new NaiveRelay(outbox, sql, destination);
      relays.add(relay);
      running.add(threads.submit(relay));
    }
    if (missesLateCommits) {
      production.run();
    }
    drain(operator);
    relays.forEach(NaiveRelay::stop);
    for (Future<?> relay : running) {
      relay.get();
    }
  }

  @FunctionalInterface
  private interface Production {
    void run() throws Exception;
  }

  private void produce(
      JobQueue queue,
      HikariDataSource pool,
      EventOperator operator,
      HistoryFile history,
      long seed,
      ExecutorService threads)
      throws Exception {
    Outbox outbox = Outbox.on(queue);
    EventProducer producer =
        new EventProducer(
            broken == null ? outbox::in : broken.recorder(outbox, pool),
            operator,
            pool,
            database.schema(),
            history,
            "producer-1",
            seed,
            MAX_DELAY,
            0);
    int transactions = broken == null ? TRANSACTIONS : broken.transactions();
    List<Future<?>> running = new ArrayList<>();
    for (int n = 0; n < PRODUCERS; n++) {
      running.add(
          threads.submit(
              () -> {
                producer.produce(transactions, System.nanoTime(), Duration.ZERO);
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
  }

  private void drain(EventOperator operator) throws Exception {
    Duration patience =
        broken == BrokenOutbox.READS_BY_A_CURSOR ? NO_PROGRESS_OF_CURSOR : NO_PROGRESS;
    long fewest = Long.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (System.nanoTime() - lastProgress < patience.toNanos()) {
      long live =
          sql.number("SELECT count(*) FROM @outbox_events WHERE status IN ('pending', 'blocked')");
      if (live == 0) {
        return;
      }
      if (live < fewest) {
        fewest = live;
        lastProgress = System.nanoTime();
      }
      operator.unblockAggregates();
      Thread.sleep(20);
    }
  }
}
