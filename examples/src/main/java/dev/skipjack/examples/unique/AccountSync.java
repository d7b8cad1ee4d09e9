package dev.skipjack.examples.unique;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Each change of an account requests a synchronisation with another system. While one is queued,
 * further changes create no additional job.
 *
 * <p>What goes wrong: a change arrives while the handler pushes an older version. Its enqueue
 * returns the running job, which has not read the change. The handler finds the newer version under
 * the lock of the account's row, and requests another run instead of completing.
 */
public final class AccountSync {

  record SyncAccount(long accountId) {}

  static final JobType<SyncAccount> SYNC_ACCOUNT =
      JobType.of("sync-account", SyncAccount.class).onQueue("sync");

  static final Unique<SyncAccount> ONE_PER_ACCOUNT = Unique.by(job -> "account-" + job.accountId());

  private final DSLContext db;
  private final JobQueue queue;
  private final UniqueJobs unique;
  private final RemoteSystem remote;

  /** The system that receives the changes. */
  @FunctionalInterface
  interface RemoteSystem {
    /** Sends a version of an account to the system, which takes time. */
    void push(long accountId, long version);
  }

  AccountSync(DataSource dataSource, RemoteSystem remote) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
    this.queue = JobQueue.on(dataSource);
    this.unique = UniqueJobs.on(queue);
    this.remote = remote;
  }

  // snippet: unique
  /** Changes the row before it enqueues, because a completing handler holds the row's lock. */
  EnqueueResult change(long accountId) {
    return db.transactionResult(
        tx -> {
          tx.dsl().execute("UPDATE crm_accounts SET version = version + 1 WHERE id = ?", accountId);
          return unique
              .in(tx.dsl())
              .enqueue(SYNC_ACCOUNT, new SyncAccount(accountId), ONE_PER_ACCOUNT);
        });
  }

  Outcome sync(SyncAccount job, JobContext context) {
    long pushed = version(db, job.accountId(), "");
    remote.push(job.accountId(), pushed);
    boolean current =
        db.transactionResult(
            tx -> {
              boolean unchanged = version(tx.dsl(), job.accountId(), "FOR UPDATE") == pushed;
              if (unchanged) {
                tx.dsl().connection(context::completeIn);
              }
              return unchanged;
            });
    return current ? Outcome.completed() : Outcome.snooze(Duration.ofSeconds(1));
  }

  // end of snippet

  private static long version(DSLContext db, long accountId, String lock) {
    return db.fetchSingle("SELECT version FROM crm_accounts WHERE id = ? " + lock, accountId)
        .get(0, Long.class);
  }

  /** Runs jobs in the calling thread until none is left, including waiting ones. */
  int runAll() {
    try (Worker worker =
        Worker.on(queue).handle(SYNC_ACCOUNT, this::sync).queue("sync", 1).build()) {
      int runs = 0;
      do {
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        runs += worker.runUntilIdle();
      } while (!queue.reader().oldestPending().isEmpty());
      return runs;
    }
  }

  static void createTables(DataSource dataSource) {
    DSLContext db = DSL.using(dataSource, SQLDialect.POSTGRES);
    db.execute(
        "CREATE TABLE IF NOT EXISTS crm_accounts (id bigint PRIMARY KEY, version bigint NOT NULL)");
    db.execute(
        """
        INSERT INTO crm_accounts VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET version = 0
        """);
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

  static int run(DataSource dataSource, PrintStream out) {
    createTables(dataSource);
    BusySystem remote = new BusySystem(out);
    AccountSync sync = new AccountSync(dataSource, remote);
    remote.meanwhile = () -> out.printf("change while it runs: %s%n", describe(sync.change(1)));
    for (int i = 1; i <= 5; i++) {
      out.printf("change %d: %s%n", i, describe(sync.change(1)));
    }
    int runs = sync.runAll();
    out.printf("6 changes, %d runs%n", runs);
    return runs;
  }

  private static String describe(EnqueueResult result) {
    return result.fold(
        enqueued -> "job %s enqueued".formatted(enqueued.jobId()),
        already -> "job %s is queued already".formatted(already.jobId()));
  }

  /** A remote system that runs another action during its first push. */
  private static final class BusySystem implements RemoteSystem {

    private final PrintStream out;
    private Runnable meanwhile = () -> {};

    BusySystem(PrintStream out) {
      this.out = out;
    }

    @Override
    public void push(long accountId, long version) {
      out.printf("push account %d version %d%n", accountId, version);
      meanwhile.run();
      meanwhile = () -> {};
    }
  }
}
