package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;

/** The main class of a worker's process. */
final class WorkerProcess {

  static final int CONCURRENCY = 6;
  private static final double MICROS_PER_HOUR = 3_600e6;
  private static final int CONNECTIONS = CONCURRENCY + 4;

  private WorkerProcess() {}

  /**
   * Runs the worker until the process is terminated.
   *
   * @param args the arguments of {@link ProcessSettings}, then a {@link HistoryClock#moment} of the
   *     parent process
   */
  public static void main(String[] args) {
    ProcessSettings settings = ProcessSettings.of(args);
    HistoryClock wall = HistoryClock.ofWall();
    HistoryClock parents = wall.from(args[4]);
    long hours = Math.round((wall.micros() - parents.micros()) / MICROS_PER_HOUR);
    HistoryFile history =
        HistoryFile.open(settings.folder(), settings.name(), hours == 0 ? wall : parents);
    HikariDataSource pool = settings.pool(CONNECTIONS);
    JobQueue queue = JobQueue.builder(pool).schema(settings.schema()).build();
    Handlers handlers = new Handlers(pool, settings.schema(), history);
    Worker.Builder builder =
        Worker.on(queue)
            .name(settings.name())
            .queue(Work.QUEUE, CONCURRENCY)
            .config(Pace.FORKED.config())
            .listener(handlers::on);
    for (Workload workload : Workload.values()) {
      builder.handle(Work.type(workload), handlers::handle);
    }
    ScheduledWork.schedules().forEach(builder::schedule);
    Worker worker = builder.start();
    Hiccups unused = Hiccups.watch(history); // until the process ends
    ExhaustedPool.watch(settings, pool, CONNECTIONS);
    // Does not close the pool, which would only delay the exit.
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
    System.out.println(readyLine(hours));
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
