package dev.skipjack.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import org.flywaydb.core.Flyway;

/**
 * Loads the classes that are needed next while the server starts. Without this, loading these
 * thousands of classes would take half of the time until the first delivery is sent.
 */
final class WarmUp {

  private WarmUp() {}

  /** Starts loading in a separate thread. Nothing depends on its progress. */
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
