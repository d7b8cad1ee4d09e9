package dev.skipjack.examples.completein;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Transfers money between two accounts in the queue's database exactly once, although the handler
 * may run more than once. The handler completes the job in the transaction that transfers the
 * money.
 *
 * <p>What goes wrong: the first attempt fails after all writes and before the commit. The
 * completion is rolled back together with the transfer, so the job is retried.
 */
public final class Transfers {

  record Transfer(String from, String to, long cents) {}

  static final JobType<Transfer> TRANSFER =
      JobType.of("transfer", Transfer.class)
          .onQueue("ledger")
          .maxAttempts(5)
          // Retries without a wait, so that the example ends at once; services should use the
          // standard backoff.
          .retry(Backoff.fixed(Duration.ZERO));

  private final DSLContext db;
  private final IntConsumer beforeCommit;

  /**
   * @param beforeCommit receives the number of the attempt; an exception from it rolls back the
   *     transaction
   */
  Transfers(DataSource dataSource, IntConsumer beforeCommit) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
    this.beforeCommit = beforeCommit;
  }

  // snippet: complete-in
  Outcome transfer(Transfer job, JobContext context) {
    db.transaction(
        tx -> {
          book(tx.dsl(), job.from(), -job.cents());
          book(tx.dsl(), job.to(), job.cents());
          tx.dsl().connection(context::completeIn);
          beforeCommit.accept(context.attempt());
        });
    return Outcome.completed();
  }

  // end of snippet

  private static void book(DSLContext db, String account, long cents) {
    int booked = db.execute("UPDATE accounts SET cents = cents + ? WHERE name = ?", cents, account);
    if (booked != 1) {
      throw new IllegalStateException("There is no account '%s'.".formatted(account));
    }
  }

  static void createTables(DataSource dataSource) {
    DSLContext db = DSL.using(dataSource, SQLDialect.POSTGRES);
    db.execute(
        "CREATE TABLE IF NOT EXISTS accounts (name text PRIMARY KEY, cents bigint NOT NULL)");
    db.execute(
        """
        INSERT INTO accounts VALUES ('alice', 10000), ('bob', 0)
        ON CONFLICT (name) DO UPDATE SET cents = excluded.cents
        """);
  }

  static String balances(DataSource dataSource) {
    return DSL.using(dataSource, SQLDialect.POSTGRES)
        .fetchSingle("SELECT string_agg(name || ' ' || cents, ', ' ORDER BY name) FROM accounts")
        .get(0, String.class);
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static JobId run(DataSource dataSource, PrintStream out) {
    createTables(dataSource);
    Transfers transfers =
        new Transfers(
            dataSource,
            attempt -> {
              out.printf("attempt %d: written, not committed%n", attempt);
              if (attempt == 1) {
                throw new IllegalStateException("the process dies here");
              }
            });
    JobQueue queue = JobQueue.on(dataSource);
    JobId job = queue.enqueue(TRANSFER, new Transfer("alice", "bob", 2_500));
    out.println("before: " + balances(dataSource));
    try (Worker worker =
        Worker.on(queue).handle(TRANSFER, transfers::transfer).queue("ledger", 1).build()) {
      worker.runUntilIdle();
    }
    out.println("after: " + balances(dataSource));
    ExampleDatabase.audit(dataSource, job).forEach(out::println);
    return job;
  }
}
