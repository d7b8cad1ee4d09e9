package dev.skipjack.torture;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;

/** A worker in a process of its own. Works until it is terminated. */
final class WorkerProcess {

  static final int CONCURRENCY = 6;
  private static final int CONNECTIONS = CONCURRENCY + 4;

  private WorkerProcess() {}

  /**
   * Works until it is terminated.
   *
   * @param args those of {@link ProcessSettings}
   */
  public static void main(String[] args) {
    ProcessSettings settings = ProcessSettings.of(args);
    HistoryFile history = HistoryFile.open(settings.folder(), settings.name());
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
    Hiccups.watch(history);
    ExhaustedPool.watch(settings, pool, CONNECTIONS);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(worker::close)); // the pool ends with the process, and sooner
    System.out.println("ready");
  }
}
