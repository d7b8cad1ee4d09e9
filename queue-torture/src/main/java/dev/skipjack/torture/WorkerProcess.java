package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;

/** A worker in a process of its own. Works until it is terminated. */
final class WorkerProcess {

  static final int CONCURRENCY = 6;
  private static final double MICROS_OF_HOUR = 3_600e6;
  private static final int CONNECTIONS = CONCURRENCY + 4;

  private WorkerProcess() {}

  /**
   * Works until it is terminated.
   *
   * @param args those of {@link ProcessSettings}, then a {@link HistoryClock#moment} of the parent
   */
  public static void main(String[] args) {
    ProcessSettings settings = ProcessSettings.of(args);
    HistoryClock wall = HistoryClock.ofWall();
    HistoryClock right = wall.from(args[4]);
    long hours = Math.round((wall.micros() - right.micros()) / MICROS_OF_HOUR);
    HistoryFile history =
        HistoryFile.open(settings.folder(), settings.name(), hours == 0 ? wall : right);
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
    Worker worker = builder.start();
    Hiccups unused = Hiccups.watch(history); // to the end of the process
    ExhaustedPool.watch(settings, pool, CONNECTIONS);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(worker::close)); // the pool ends with the process, and sooner
    System.out.println(ready(hours));
  }

  /** What a worker says whose clock is so many hours ahead. */
  static String ready(long hours) {
    return ProcessSettings.READY + ", clock %+d h".formatted(hours);
  }
}
