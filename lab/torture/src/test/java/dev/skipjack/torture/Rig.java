package dev.skipjack.torture;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.ScheduleStore;
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
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A run within one process that takes a few seconds. It uses the producer, handlers and checker of
 * a full run, but threads instead of processes. To create zombies, it does not renew their leases.
 */
final class Rig {

  /**
   * The faults of a run. Zombies and cuts are not combined: a zombie that loses the response to a
   * write correctly assumes that the write ended the job, even if another worker ended it.
   */
  enum Faults {
    NONE,
    ZOMBIES,
    CUTS
  }

  /** The jobs that the producer enqueues. */
  enum Jobs {
    ALL(120, WorkSource::draw),

    /** Enough for several of them to fail, snooze or become dead. */
    ORDERED(50, random -> Workload.ORDERED),

    /** Enough to meet each unique key several times while its job is live. */
    UNIQUE(40, random -> Workload.UNIQUE),

    /** Enough to use up the limit. */
    LIMITED(100, random -> Workload.LIMITED);

    private final int number;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Function<RandomGenerator, Workload> mix;

    Jobs(int number, Function<RandomGenerator, Workload> mix) {
      this.number = number;
      this.mix = mix;
    }
  }

  /** The number of connections for workers and producer. */
  static final int CONNECTIONS = 10;

  static final Pace PACE = new Pace(Duration.ofMillis(400), Duration.ofMillis(50), 40);

  private static final int ROWS = 60;
  private static final double ROWS_SECONDS = 1.5;

  private static final String LIVE =
      "SELECT (SELECT count(*) FROM @jobs WHERE status <> 'dead') + (SELECT count(*) FROM"
          + " @torture_rows WHERE NOT taken)";

  private static final int CONCURRENCY = 5;

  /** One in this number of executions becomes a zombie. */
  private static final int ONE_IN = 11;

  /** The time without progress after which a drain is abandoned. A broken queue may never drain. */
  private static final Duration NO_PROGRESS = Duration.ofSeconds(3);

  /**
   * The same time for a queue whose jobs all end. It allows for a busy machine and for jobs that
   * snooze several times in succession.
   */
  private static final Duration NO_PROGRESS_OF_DRAINING_QUEUE = Duration.ofSeconds(20);

  private final QueueDatabase database;
  private final DataSource pool;
  private final Path folder;
  private final @Nullable Broken broken;
  private final Faults faults;
  private final Set<Long> zombies = ConcurrentHashMap.newKeySet();
  private final AtomicInteger recordedFaults = new AtomicInteger();

  /**
   * @param database a database whose tables the run empties first
   * @param pool supplies the connections of workers and producer, on which faults act
   * @param broken the broken queue; null for the real one
   */
  Rig(
      QueueDatabase database,
      DataSource pool,
      Path folder,
      @Nullable Broken broken,
      Faults faults) {
    this.database = database;
    this.pool = pool;
    this.folder = folder;
    this.broken = broken;
    this.faults = faults;
  }

  TortureReport run(long seed) throws Exception {
    Sql sql = new Sql(database.dataSource(), database.schema());
    for (String table : TortureDatabase.TABLES) {
      sql.run(table);
    }
    sql.run("TRUNCATE @torture_effects, @torture_rows, @torture_takes");
    database.truncate();
    sql.run(RowTable.insert(ROWS, ROWS_SECONDS));
    try (HistoryFile history = HistoryFile.open(folder, "rig")) {
      FaultyDataSource faulty = new FaultyDataSource(pool);
      if (faults == Faults.CUTS) {
        cutCommits(faulty, new Random(seed), history);
      }
      LeaseWatch leases =
          LeaseWatch.start(database.dataSource(), database.schema(), history, PACE.lease());
      JobQueue real = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
      leaveUnattended(real, sql);
      new LimitOperator(real.admin(), history).prepare();
      JobQueue queue = JobQueue.builder(faulty).schema(database.schema()).build();
      List<Worker> workers = new ArrayList<>();
      List<Thread> takers = new ArrayList<>();
      try {
        for (int n = 1; n <= 2; n++) {
          workers.add(worker("worker-" + n, queue, faulty, sql));
        }
        for (int n = 1; n <= 2; n++) {
          takers.add(rowTaker("worker-" + n, faulty));
        }
        produce(queue, faulty, sql, seed);
        faulty.reset();
        if (faults != Faults.NONE) {
          claimAndAbandon(queue, history);
        }
        pauseSchedules(queue, sql);
        drain(queue, sql, history);
      } finally {
        workers.forEach(Worker::close);
        for (Thread taker : takers) {
          taker.interrupt();
          taker.join();
        }
        leases.stop();
      }
    }
    FinalRead read = FinalReader.read(database.dataSource(), database.schema());
    return TortureReport.of(Map.of(), HistoryFile.readAll(folder), read, PACE);
  }

  private void cutCommits(FaultyDataSource faulty, Random random, HistoryFile history) {
    faulty.decideCommits(
        () -> {
          int draw;
          synchronized (random) {
            draw = random.nextInt(100);
          }
          if (draw >= 4) {
            return CommitFate.ACKNOWLEDGED;
          }
          recordFault(history, Event.ALL, "commit-cut");
          return draw < 2 ? CommitFate.CUT_BEFORE : CommitFate.CUT_AFTER;
        });
  }

  private void recordFault(HistoryFile history, String process, String kind) {
    String number = String.valueOf(recordedFaults.incrementAndGet());
    history.write(process, EventType.FAULT_BEGAN, number, 0, 0, kind);
    history.write(process, EventType.FAULT_ENDED, number, 0, 0, kind);
  }

  private Worker worker(String name, JobQueue queue, FaultyDataSource faulty, Sql sql) {
    HistoryFile history = HistoryFile.open(folder, name);
    Handlers handlers = new Handlers(faulty, database.schema(), history);
    Worker.Builder builder =
        Worker.on(access(queue, sql)).name(name).config(PACE.config()).listener(handlers::on);
    Work.queues().forEach(each -> builder.queue(each, CONCURRENCY));
    for (Workload workload : Workload.values()) {
      builder.handle(
          Work.type(workload),
          (work, context) -> {
            sleepAsZombie(work, context, name, history);
            return work(handlers, work, context);
          });
    }
    ScheduledWork.schedules().forEach(builder::schedule);
    return builder.start();
  }

  private Thread rowTaker(String name, FaultyDataSource faulty) {
    RowTaker.Claims claims =
        broken == null ? RowTaker::skipLocked : broken.rows(RowTaker::skipLocked);
    Thread thread =
        new Thread(
            new RowTaker(faulty, database.schema(), name, PACE.lease(), claims), name + "-rows");
    thread.start();
    return thread;
  }

  private static Outcome work(Handlers handlers, Work work, JobContext context) throws Exception {
    return handlers.handle(work, context);
  }

  private void sleepAsZombie(Work work, JobContext context, String worker, HistoryFile history)
      throws InterruptedException {
    long execution = context.executionId().value();
    boolean fails = work.failures() > 0 && context.attempt() == 1;
    if (faults == Faults.ZOMBIES && (fails || execution % ONE_IN == 0)) {
      zombies.add(execution);
      recordFault(history, worker, "stop");
      Thread.sleep(PACE.lease().toMillis() * 2);
    }
  }

  private boolean isZombie(long execution) {
    return zombies.contains(execution);
  }

  private QueueAccess access(JobQueue queue, Sql sql) {
    JobStore store = broken == null ? queue.store() : broken.store(queue.store(), sql);
    return Intercepted.of(
        QueueAccess.class,
        queue,
        Set.of("store", "leases", "scheduleStore"),
        (method, args) -> {
          Object made = method.call(args);
          if (made instanceof Optional<?> schedules) {
            return schedules.map(ScheduleStore.class::cast).map(real -> schedules(real, sql));
          }
          return made instanceof LeaseKeeper keeper ? leases(keeper) : store;
        });
  }

  private ScheduleStore schedules(ScheduleStore real, Sql sql) {
    return broken == null ? real : broken.schedules(real, sql);
  }

  /** Returns a keeper that does not renew the leases of zombies, but reports them as renewed. */
  private LeaseKeeper leases(LeaseKeeper real) {
    LeaseKeeper withoutZombies =
        Intercepted.of(
            LeaseKeeper.class,
            real,
            Set.of("heartbeat"),
            (method, args) -> {
              List<?> all = (List<?>) args[0];
              List<?> renewed = all.stream().filter(one -> !isZombie(id(one))).toList();
              List<?> results =
                  renewed.isEmpty()
                      ? List.of()
                      : (List<?>) method.call(new Object[] {renewed, args[1]});
              return all.stream()
                  .map(
                      one ->
                          isZombie(id(one))
                              ? new Renewal(Verdict.DONE, false)
                              : results.get(renewed.indexOf(one)))
                  .toList();
            });
    return broken == null ? withoutZombies : broken.leases(withoutZombies);
  }

  private static long id(Object execution) {
    return ((Execution) execution).id().value();
  }

  private void produce(JobQueue queue, FaultyDataSource faulty, Sql sql, long seed)
      throws InterruptedException {
    ProducerAccess real = ProducerAccess.of(queue, faulty, database.schema());
    ProducerAccess access =
        broken == null
            ? real
            : new ProducerAccess(
                broken.jobs(real.jobs(), sql),
                broken.within(real.within(), real.jobs()),
                broken.unique(real.unique(), real.jobs()),
                broken.admin(real.admin(), sql),
                real.reader(),
                real.steps(),
                faulty,
                real.schema());
    try (HistoryFile history = HistoryFile.open(folder, "producer-1")) {
      Jobs jobs = broken == null ? Jobs.ALL : broken.jobs();
      new Producer(
              access,
              history,
              "producer-1",
              seed,
              new WorkSource("producer-1", PACE, jobs.mix),
              new LimitOperator(access.admin(), history))
          .produce(0, jobs.number, Duration.ZERO, Duration.ofMillis(3));
    }
  }

  /** Claims jobs without running them, like a process that is killed after its claim. */
  private void claimAndAbandon(JobQueue queue, HistoryFile history) {
    recordFault(history, "killed", "kill");
    queue
        .store()
        .claim(
            new ClaimRequest(
                WorkerId.boot("killed"),
                List.of(new LaneShare(new Lane(Work.QUEUE, 0), 3, null)),
                Arrays.stream(Workload.values()).map(one -> Work.type(one).kind()).toList(),
                3,
                PACE.lease()));
    for (String name : LimitedWork.QUEUES) {
      claimAndAbandon(queue.store(), new Lane(name, 0));
    }
  }

  /** Claims jobs with a limit, which leaves their permits in use until the rescue. */
  private static void claimAndAbandon(JobStore store, Lane lane) {
    DueGroups due = store.dueGroups(new GroupSearch(lane, 10, 10, 10, "", null, null));
    List<GroupClaim.Share> shares =
        due.groups().stream()
            .filter(group -> group.free() > 0)
            .map(group -> new GroupClaim.Share(group.group(), 1, 1, group.from(), group.until()))
            .toList();
    if (!shares.isEmpty()) {
      store.claimGroups(
          new GroupClaim(
              WorkerId.boot("killed"),
              lane,
              due.limit(),
              due.locksLimit(),
              due.locksGroups(),
              shares,
              List.of(Work.type(Workload.LIMITED).kind()),
              1,
              PACE.lease()));
    }
  }

  /** Creates the schedules in the state that they have after ten seconds without a worker. */
  private static void leaveUnattended(JobQueue queue, Sql sql) throws Exception {
    queue.schedules().declare(ScheduledWork.schedules());
    sql.run(
        "UPDATE @job_schedules SET created_at = created_at - interval '10 s', next_at = next_at -"
            + " interval '10 s', due_at = due_at - interval '10 s'");
  }

  private static void pauseSchedules(JobQueue queue, Sql sql) throws Exception {
    long deadline = System.nanoTime() + NO_PROGRESS.toNanos();
    while (sql.number(ScheduledWork.OVERDUE) > 0 && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    ScheduledWork.pause(queue.schedules());
  }

  private void drain(JobQueue queue, Sql sql, HistoryFile history) throws Exception {
    new LimitOperator(queue.admin(), history).relax();
    Operator operator = new Operator(queue.reader(), queue.admin(), history);
    SplittableRandom random = new SplittableRandom(1);
    boolean drains = broken == null || faults == Faults.NONE;
    Duration patience = drains ? NO_PROGRESS_OF_DRAINING_QUEUE : NO_PROGRESS;
    long fewest = Long.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (System.nanoTime() - lastProgress < patience.toNanos()) {
      long live = sql.number(LIVE);
      if (live == 0) {
        return;
      }
      if (live < fewest) {
        fewest = live;
        lastProgress = System.nanoTime();
      }
      operator.freeBlockedKeys(random);
      Thread.sleep(50);
    }
  }
}
