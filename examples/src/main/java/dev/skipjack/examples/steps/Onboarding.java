package dev.skipjack.examples.steps;

import static dev.skipjack.steps.StepOptions.undo;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import dev.skipjack.steps.SignalLinks;
import dev.skipjack.steps.SignalResult;
import dev.skipjack.steps.Signals;
import dev.skipjack.steps.Steps;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Opens the account of a new user, which takes days: an approver must agree, and then the account
 * is watched for a while. The job holds no thread and no connection meanwhile.
 *
 * <p>What goes wrong: the process fails at each point at which it can. There is still one account
 * and one entry in the ledger. A mail is sent a second time if the process fails between sending it
 * and recording that.
 */
public final class Onboarding {

  record NewUser(String email) {}

  record Account(long id) {}

  record Decision(boolean approved) {
    static final Decision REJECT = new Decision(false);
  }

  static final JobType<NewUser> ONBOARD =
      JobType.of("onboard", NewUser.class)
          .maxAttempts(20)
          // Retries without a wait, so that the example ends soon.
          .retry(Backoff.fixed(Duration.ZERO));

  static final JobType<Account> DELETE_ACCOUNT = JobType.of("delete-account", Account.class);

  private static final Duration PAUSE = Duration.ofMillis(20);

  private final DSLContext db;
  private final Duration watched;
  private final Consumer<String> points;
  private final SignalLinks links;

  /**
   * @param watched how long a new account is watched
   * @param points receives the points that an attempt reaches, and may fail there
   */
  Onboarding(DataSource dataSource, JobQueue queue, Duration watched, Consumer<String> points) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
    this.watched = watched;
    this.points = points;
    this.links = links(queue);
  }

  // snippet: onboard
  @JobHandler("onboard")
  Outcome onboard(NewUser user, Steps steps, JobContext job) throws Exception {
    Account account =
        steps.run(
            "account",
            Account.class,
            key -> createAccount(key, user), // the same key in each attempt
            undo(DELETE_ACCOUNT, created -> created));
    db.transaction( // commits the entry and the memo of the step
        tx ->
            tx.dsl()
                .connection(
                    connection ->
                        steps.runIn(connection, "ledger", () -> book(tx.dsl(), account))));
    steps.run("ask", () -> mail("Approve " + user.email() + ": " + approval(job.jobId())));
    Decision decision =
        steps.await("review", Decision.class, Duration.ofDays(7)).orElse(Decision.REJECT);
    if (!decision.approved()) {
      return steps.compensate("rejected"); // deletes the account
    }
    steps.sleep("watched", watched);
    steps.run("welcome", () -> mail("Welcome, " + user.email()));
    return Outcome.completed(account);
  }

  @JobHandler("delete-account")
  void deleteAccount(Account account) {
    db.execute("DELETE FROM account WHERE id = ?", account.id());
  }

  // end of snippet

  // snippet: links
  static SignalLinks links(JobQueue queue) {
    byte[] secret = "an example; use 32 random bytes.".getBytes(UTF_8);
    return Signals.on(queue).links(secret);
  }

  private String approval(JobId job) {
    return links.sign(job, "review", new Decision(true), Duration.ofDays(7));
  }

  /** Handles the button on the page behind the link. */
  SignalResult approve(String token, String user) {
    return links.use(token, user);
  }

  // end of snippet

  /** Stands for a request to another system, which returns the same account for the same key. */
  private Account createAccount(String key, NewUser user) {
    points.accept("before the account");
    long id =
        db.fetchSingle(
                "INSERT INTO account (key, email) VALUES (?, ?)"
                    + " ON CONFLICT (key) DO UPDATE SET email = excluded.email RETURNING id",
                key,
                user.email())
            .get(0, Long.class);
    points.accept("after the account");
    return new Account(id);
  }

  private void book(DSLContext tx, Account account) {
    tx.execute("INSERT INTO ledger (account) VALUES (?)", account.id());
    points.accept("in the ledger");
  }

  private void mail(String text) {
    String name = text.substring(0, text.indexOf(' ')).replace(",", "");
    points.accept("before the mail " + name);
    db.execute("INSERT INTO mail (text) VALUES (?)", text);
    points.accept("after the mail " + name);
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) throws InterruptedException {
    createTables(dataSource);
    JobQueue queue = JobQueue.on(dataSource);
    Set<String> failed = ConcurrentHashMap.newKeySet();
    Onboarding onboarding =
        new Onboarding(
            dataSource,
            queue,
            Duration.ofMillis(1_500),
            point -> {
              if (failed.add(point)) {
                out.println("fails " + point);
                throw new IllegalStateException("failed " + point);
              }
            });
    try (Worker worker = onboarding.worker(queue).start()) {
      out.println("worker " + worker.id() + " has begun");
      JobId job = queue.enqueue(ONBOARD, new NewUser("ada@example.org"));
      await(
          dataSource,
          "SELECT count(*) = 1 FROM skipjack.jobs WHERE status = 'pending' AND awaits = 'review'");
      out.println("click: " + onboarding.approve(onboarding.latestLink(), "grace"));
      out.println("click again: " + onboarding.approve(onboarding.latestLink(), "grace"));
      await(dataSource, "SELECT count(*) = 1 FROM skipjack.jobs_archive WHERE kind = 'onboard'");
      out.println(queue.reader().find(job).orElseThrow().summary().status());
      out.println(effects(dataSource));
    }
  }

  Worker.Builder worker(JobQueue queue) {
    Worker.Builder worker = Worker.on(queue).queue("default", 2);
    JobHandlers.of(this).addTo(worker);
    return worker;
  }

  String latestLink() {
    return db.fetchSingle(
            "SELECT substring(text FROM ': (.*)') FROM mail WHERE text LIKE 'Approve%'"
                + " ORDER BY id DESC LIMIT 1")
        .get(0, String.class);
  }

  static void createTables(DataSource dataSource) {
    DSLContext db = DSL.using(dataSource, SQLDialect.POSTGRES);
    db.execute("DROP TABLE IF EXISTS account, ledger, mail");
    db.execute(
        "CREATE TABLE account (id bigserial PRIMARY KEY, key text UNIQUE, email text NOT NULL)");
    db.execute("CREATE TABLE ledger (account bigint NOT NULL)");
    db.execute("CREATE TABLE mail (id bigserial PRIMARY KEY, text text NOT NULL)");
  }

  /** Returns the number of accounts, entries and mails. */
  static String effects(DataSource dataSource) {
    return DSL.using(dataSource, SQLDialect.POSTGRES)
        .fetchSingle(
            "SELECT (SELECT count(*) FROM account) || ' account, ' || (SELECT count(*) FROM ledger)"
                + " || ' entry, ' || (SELECT count(*) FROM mail) || ' mails'")
        .get(0, String.class);
  }

  private static void await(DataSource dataSource, String condition) throws InterruptedException {
    DSLContext db = DSL.using(dataSource, SQLDialect.POSTGRES);
    while (!db.fetchSingle(condition).get(0, Boolean.class)) {
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    }
  }
}
