package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.outbox.Inbox;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.util.concurrent.CountDownLatch;

/** The main class of a worker's process, which also runs a relay. */
final class WorkerProcess {

  static final int CONCURRENCY = 6;

  /** The connections of a worker in addition to those of its handlers. */
  static final int CONNECTIONS = 5;

  private static final double MICROS_PER_HOUR = 3_600e6;

  private WorkerProcess() {}

  /**
   * Runs the worker and the relay until the process is terminated.
   *
   * @param args the arguments of {@link ProcessSettings}, then a {@link HistoryClock#moment} of the
   *     parent process, then the {@link Load}
   */
  public static void main(String[] args) throws InterruptedException {
    ProcessSettings settings = ProcessSettings.of(args);
    HistoryClock wall = HistoryClock.ofWall();
    HistoryClock parents = wall.from(args[4]);
    long hours = Math.round((wall.micros() - parents.micros()) / MICROS_PER_HOUR);
    HistoryClock clock = hours == 0 ? wall : parents;
    HistoryFile history = HistoryFile.open(settings.folder(), settings.name(), clock);
    Load load = Load.valueOf(args[5]);
    int connections =
        (load.hasJobs() ? CONCURRENCY + CONNECTIONS : 0)
            + (load.hasOutbox() ? EventRelay.CONNECTIONS : 0);
    HikariDataSource pool = settings.pool(connections);
    JobQueue queue = JobQueue.builder(pool).schema(settings.schema()).build();
    // Closing the pool would only delay the exit.
    if (load.hasJobs()) {
      Worker worker = startWorker(settings, queue, pool, history, load, CONCURRENCY);
      Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
      startRowTaker(settings, pool);
    }
    if (load.hasOutbox()) {
      InboxConsumer consumer =
          new InboxConsumer(pool, settings.schema(), Inbox.on(queue, "torture")::once);
      Destination destination =
          Destination.open(settings.folder(), settings.name(), clock, consumer);
      EventRelay relay =
          EventRelay.start(
              queue, settings.name(), destination, Pace.FORKED.lease(), load == Load.OUTBOX);
      Runtime.getRuntime().addShutdownHook(new Thread(relay::close));
    }
    Hiccups unused = Hiccups.watch(history); // until the process ends
    ExhaustedPool.watch(settings, pool, connections);
    System.out.println(readyLine(hours));
    new CountDownLatch(1).await(); // a relay's threads do not keep the JVM alive
  }

  private static void startRowTaker(ProcessSettings settings, HikariDataSource pool) {
    RowTaker taker =
        new RowTaker(
            pool, settings.schema(), settings.name(), Pace.FORKED.lease(), RowTaker::skipLocked);
    Thread thread = new Thread(taker, "row-taker");
    thread.setDaemon(true);
    thread.start();
  }

  static Worker startWorker(
      ProcessSettings settings,
      JobQueue queue,
      HikariDataSource pool,
      HistoryFile history,
      Load load,
      int concurrency) {
    Handlers handlers = new Handlers(pool, settings.schema(), history);
    Worker.Builder builder =
        Worker.on(queue).name(settings.name()).config(Pace.FORKED.config()).listener(handlers::on);
    Work.queues().forEach(name -> builder.queue(name, concurrency));
    for (Workload workload : Workload.values()) {
      builder.handle(Work.type(workload), handlers::handle);
    }
    StepWork.handleFollowers(builder);
    ScheduledWork.schedules().forEach(builder::schedule);
    if (load == Load.SCHEDULES) {
      OddSchedules.functions().forEach(builder::schedule);
    }
    return builder.start();
  }

  /**
   * Returns the line that a worker prints when it has started.
   *
   * @param hours the number of hours by which the worker's wall clock is ahead
   */
  static String readyLine(long hours) {
    return ProcessSettings.READY + ", clock %+d h".formatted(hours);
  }
}
