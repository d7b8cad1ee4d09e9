package dev.skipjack.examples.orders;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.util.concurrent.locks.LockSupport;

/** Runs the service, with a bank that never responds, in a process that a test kills. */
// snippet: process
final class HangingService {

  private HangingService() {}

  public static void main(String[] args) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(args[0]);
    Payments silent =
        (number, cents) -> {
          System.out.println("charging " + number);
          while (!Thread.interrupted()) {
            LockSupport.park();
          }
        };
    new Orders(pool, JobQueue.on(pool), silent, (email, text) -> {}).worker().build().start();
  }
}
// end of snippet
