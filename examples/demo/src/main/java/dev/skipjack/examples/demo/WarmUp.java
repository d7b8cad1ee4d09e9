package dev.skipjack.examples.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import org.flywaydb.core.Flyway;

/**
 * Loads the classes that are needed next while the server starts. There are thousands, and loading
 * them takes half of the time until the first delivery is sent.
 */
final class WarmUp {

  private WarmUp() {}

  /** Starts in a thread of its own; nothing depends on how far it gets. */
  static void begin() {
    Thread thread = new Thread(WarmUp::load, "demo-warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  private static void load() {
    // Never connected, so there is nothing to close.
    HikariDataSource nowhere = new HikariDataSource();
    Flyway.configure(WarmUp.class.getClassLoader()).dataSource(nowhere).load();
    UniqueJobs.on(JobQueue.on(nowhere));
  }
}
