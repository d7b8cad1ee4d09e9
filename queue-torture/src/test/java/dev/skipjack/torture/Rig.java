package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A torture within one process and a few seconds: the producers, handlers and checker of the real
 * one, threads instead of processes, and zombies that are made by leases nobody renews.
 */
final class Rig {

  /**
   * What goes wrong. Zombies and cuts exclude each other: a worker that was told that it holds its
   * lease, and lost the answer to a write, rightly takes the job's end for its own.
   */
  enum Faults {
    NONE,
    ZOMBIES,
    CUTS
  }

  static final Pace PACE = new Pace(Duration.ofMillis(400), Duration.ofMillis(50), 40);

  private static final int JOBS = 120;
  private static final int CONCURRENCY = 5;
  private static final int ZOMBIES = 11;
  private static final Duration NO_PROGRESS = Duration.ofSeconds(3);

  private final QueueDatabase database;
  private final Path folder;
  private final @Nullable BrokenQueue broken;
  private final Faults faults;
  private final Set<Long> zombies = ConcurrentHashMap.newKeySet();
  private final AtomicInteger struck = new AtomicInteger();

  /**
   * @param broken null: the real queue
   */
  Rig(QueueDatabase database, Path folder, @Nullable BrokenQueue broken, Faults faults) {
    this.database = database;
    this.folder = folder;
    this.broken = broken;
    this.faults = faults;
  }

  TortureReport run(long seed) throws Exception {
    Sql sql = new Sql(database.dataSource(), database.schema());
    sql.run(
        "CREATE TABLE IF NOT EXISTS @torture_effects (key text, job_id bigint, execution_id bigint)");
    sql.run("TRUNCATE @torture_effects");
    database.truncate();
    try (HistoryFile history = HistoryFile.open(folder, "rig");
        HikariDataSource pool = database.newDataSource(24)) {
      FaultyDataSource faulty = new FaultyDataSource(pool);
      if (faults == Faults.CUTS) {
        cutCommits(faulty, new Random(seed), history);
      }
      LeaseWatch leases =
          LeaseWatch.start(database.dataSource(), database.schema(), history, PACE.lease());
      JobQueue queue = JobQueue.builder(faulty).schema(database.schema()).build();
      List<Worker> workers = new ArrayList<>();
      try {
        for (int n = 1; n <= 2; n++) {
          workers.add(worker("worker-" + n, queue, faulty, sql));
        }
        produce(queue, faulty, sql, seed);
        faulty.mend();
        if (faults != Faults.NONE) {
          abandon(queue, history);
        }
        drain(sql);
      } finally {
        workers.forEach(Worker::close);
        leases.stop();
      }
    }
    FinalRead read = FinalReader.read(database.dataSource(), database.schema());
    return TortureReport.of(Map.of(), HistoryFile.readAll(folder), read, PACE);
  }

  private void cutCommits(FaultyDataSource faulty, Random random, HistoryFile history) {
    faulty.decideCommits(
        () -> {
          int dice;
          synchronized (random) {
            dice = random.nextInt(100);
          }
          if (dice >= 4) {
            return CommitFate.ANSWERED;
          }
          strike(history, Event.ALL, "commit-cut");
          return dice < 2 ? CommitFate.CUT_BEFORE : CommitFate.CUT_AFTER;
        });
  }

  private void strike(HistoryFile history, String whom, String kind) {
    String number = String.valueOf(struck.incrementAndGet());
    history.write(whom, EventType.FAULT_BEGAN, number, 0, 0, kind);
    history.write(whom, EventType.FAULT_ENDED, number, 0, 0, kind);
  }

  private Worker worker(String name, JobQueue queue, FaultyDataSource faulty, Sql sql) {
    HistoryFile history = HistoryFile.open(folder, name);
    Handlers handlers = new Handlers(faulty, database.schema(), history);
    Worker.Builder builder =
        Worker.on(access(queue, sql))
            .name(name)
            .queue(Work.QUEUE, CONCURRENCY)
            .config(PACE.config())
            .listener(handlers::on);
    for (Workload workload : Workload.values()) {
      builder.handle(
          Work.type(workload),
          (work, context) -> {
            sleepAsZombie(work, context, name, history);
            return work(handlers, work, context);
          });
    }
    return builder.start();
  }

  private static Outcome work(Handlers handlers, Work work, JobContext context) throws Exception {
    return handlers.handle(work, context);
  }

  private void sleepAsZombie(Work work, JobContext context, String worker, HistoryFile history)
      throws InterruptedException {
    long execution = context.executionId().value();
    boolean fails = work.failures() > 0 && context.attempt() == 1;
    if (faults == Faults.ZOMBIES && (fails || execution % ZOMBIES == 0)) {
      zombies.add(execution);
      strike(history, worker, "stop");
      Thread.sleep(PACE.lease().toMillis() * 2);
    }
  }

  private boolean isZombie(long execution) {
    return zombies.contains(execution);
  }

  private QueueAccess access(JobQueue queue, Sql sql) {
    JobStore store = broken == null ? queue.store() : broken.store(queue.store(), sql);
    return Rigged.of(
        QueueAccess.class,
        queue,
        Set.of("store", "leases"),
        (method, args) -> {
          Object made = method.call(args);
          return made instanceof LeaseKeeper keeper ? leases(keeper) : store;
        });
  }

  /** Renews no zombie's lease, and lets nobody know. */
  private LeaseKeeper leases(LeaseKeeper real) {
    LeaseKeeper forgetful =
        Rigged.of(
            LeaseKeeper.class,
            real,
            Set.of("heartbeat"),
            (method, args) -> {
              List<?> all = (List<?>) args[0];
              List<?> renewed = all.stream().filter(one -> !isZombie(id(one))).toList();
              List<?> answers =
                  renewed.isEmpty()
                      ? List.of()
                      : (List<?>) method.call(new Object[] {renewed, args[1]});
              return all.stream()
                  .map(
                      one ->
                          isZombie(id(one))
                              ? new Renewal(Verdict.DONE, false)
                              : answers.get(renewed.indexOf(one)))
                  .toList();
            });
    return broken == null ? forgetful : broken.leases(forgetful);
  }

  private static long id(Object execution) {
    return ((Execution) execution).id().value();
  }

  private void produce(JobQueue queue, FaultyDataSource faulty, Sql sql, long seed)
      throws InterruptedException {
    ProducerAccess real = ProducerAccess.of(queue, faulty);
    ProducerAccess access =
        broken == null
            ? real
            : new ProducerAccess(
                broken.jobs(real.jobs(), sql),
                real.within(),
                broken.unique(real.unique(), real.jobs()),
                broken.admin(real.admin(), sql),
                faulty);
    try (HistoryFile history = HistoryFile.open(folder, "producer-1")) {
      new Producer(access, history, "producer-1", seed, PACE)
          .produce(0, JOBS, Duration.ZERO, Duration.ofMillis(3));
    }
  }

  /** Claims as a process does that is killed before it begins. */
  private void abandon(JobQueue queue, HistoryFile history) {
    strike(history, "killed", "kill");
    queue
        .store()
        .claim(
            new ClaimRequest(
                WorkerId.boot("killed"),
                List.of(new LaneShare(new Lane(Work.QUEUE, 0), 3, null)),
                Arrays.stream(Workload.values()).map(one -> Work.type(one).kind()).toList(),
                3,
                PACE.lease()));
  }

  private static void drain(Sql sql) throws Exception {
    long least = Long.MAX_VALUE;
    long progress = System.nanoTime();
    while (System.nanoTime() - progress < NO_PROGRESS.toNanos()) {
      long live = sql.number("SELECT count(*) FROM @jobs WHERE status IN ('pending', 'running')");
      if (live == 0) {
        return;
      }
      if (live < least) {
        least = live;
        progress = System.nanoTime();
      }
      Thread.sleep(20);
    }
  }
}
