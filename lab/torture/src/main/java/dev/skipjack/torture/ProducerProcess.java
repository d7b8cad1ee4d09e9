package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a producer's process. The first producer also has a worker with few slots. Its
 * enqueues start jobs in these slots directly; all other jobs wait for claims.
 */
final class ProducerProcess {

  private static final int JOBS_CONNECTIONS = 3;
  private static final int SLOTS = 2;
  private static final Duration MAX_DELAY = Duration.ofSeconds(2);

  private final ProcessSettings settings;
  private final long seed;
  private final Instant start;
  private final HistoryFile history;
  private final HikariDataSource pool;
  private final JobQueue queue;
  private final List<Event> before;

  private ProducerProcess(
      ProcessSettings settings,
      long seed,
      Instant start,
      HistoryFile history,
      HikariDataSource pool,
      List<Event> before) {
    this.settings = settings;
    this.seed = seed;
    this.start = start;
    this.history = history;
    this.pool = pool;
    this.queue = JobQueue.builder(pool).schema(settings.schema()).build();
    this.before = before;
  }

  /**
   * Continues after the last job and the last event in the history, and exits when all jobs are
   * enqueued and all transactions with events have ended.
   *
   * @param args the arguments of {@link ProcessSettings}, then the seed, the number of jobs, the
   *     microseconds between two jobs, the time at which the first job and event are due, in
   *     milliseconds since 1970, the {@link Load}, the number of transactions with events, and the
   *     microseconds between two of them
   */
  public static void main(String[] args) throws InterruptedException, ExecutionException {
    ProcessSettings settings = ProcessSettings.of(args);
    long jobs = Long.parseLong(args[5]);
    Load load = Load.valueOf(args[8]);
    List<Event> before = HistoryFile.read(settings.folder(), settings.name());
    try (HistoryFile history = HistoryFile.open(settings.folder(), settings.name());
        HikariDataSource pool = settings.pool(connections(settings, load))) {
      ProducerProcess process =
          new ProducerProcess(
              settings,
              Long.parseLong(args[4]),
              Instant.ofEpochMilli(Long.parseLong(args[7])),
              history,
              pool,
              before);
      Worker worker = startWorker(process, load);
      if (worker != null) {
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
      }
      try {
        System.out.println(ProcessSettings.READY);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> running = new ArrayList<>();
        if (load.hasJobs()) {
          running.add(
              threads.submit(
                  () -> {
                    process.enqueue(load, jobs, micros(args[6]));
                    return null;
                  }));
        }
        EventProducer events = process.events();
        for (int n = 0; n < load.eventProducers(); n++) {
          running.add(
              threads.submit(
                  () -> {
                    events.produce(Long.parseLong(args[9]), process.startNanos(), micros(args[10]));
                    return null;
                  }));
        }
        threads.shutdown();
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        if (worker != null) {
          worker.close(); // before the pool and the history, which its last jobs need
        }
      }
    }
  }

  /** Starts the worker of the first producer; returns null for the others. */
  private static @Nullable Worker startWorker(ProducerProcess process, Load load) {
    return hasWorker(process.settings, load)
        ? WorkerProcess.startWorker(
            process.settings, process.queue, process.pool, process.history, load, SLOTS)
        : null;
  }

  private static boolean hasWorker(ProcessSettings settings, Load load) {
    return load.hasJobs() && isFirst(settings);
  }

  private static boolean isFirst(ProcessSettings settings) {
    return settings.name().endsWith("1");
  }

  private static int connections(ProcessSettings settings, Load load) {
    return (load.hasJobs() ? JOBS_CONNECTIONS : 1)
        + load.eventProducers()
        + (hasWorker(settings, load) ? SLOTS + WorkerProcess.CONNECTIONS : 0);
  }

  private static Duration micros(String micros) {
    return Duration.ofNanos(1_000 * Long.parseLong(micros));
  }

  private void enqueue(Load load, long jobs, Duration gap) throws InterruptedException {
    long requested = before.stream().filter(event -> event.type() == EventType.REQUESTED).count();
    long created =
        before.stream()
            .filter(event -> event.type() == EventType.ACKNOWLEDGED)
            .filter(event -> event.detail().equals(Producer.CREATED))
            .count();
    Instant due = start.plus(gap.multipliedBy(requested));
    new Producer(
            ProducerAccess.of(queue, pool, settings.schema()),
            history,
            settings.name(),
            seed,
            new WorkSource(settings.name(), Pace.FORKED, load.mix()),
            isFirst(settings) ? new LimitOperator(queue.admin(), history) : null)
        .produce(requested, jobs - created, Duration.between(due, Instant.now()), gap);
  }

  private EventProducer events() {
    Outbox outbox = Outbox.on(queue);
    return new EventProducer(
        outbox::in,
        new EventOperator(outbox.admin(), history),
        pool,
        settings.schema(),
        history,
        settings.name(),
        seed,
        MAX_DELAY,
        before.stream().filter(event -> event.type() == EventType.EVENT_RECORDED).count());
  }

  private long startNanos() {
    return System.nanoTime() - Duration.between(start, Instant.now()).toNanos();
  }
}
