package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.sql.Counted;
import dev.skipjack.sql.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Checks the state of the server. */
final class ServerChecks {

  private static final Duration CLOCK_YELLOW = Duration.ofSeconds(1);
  private static final Duration CLOCK_RED = Duration.ofMinutes(5);
  private static final Duration HORIZON_YELLOW = Duration.ofMinutes(10);
  private static final Duration HORIZON_RED = Duration.ofHours(1);
  private static final int HORIZON_YELLOW_AGE = 1_000_000;
  private static final int HORIZON_RED_AGE = 50_000_000;

  private ServerChecks() {}

  static Finding settings(SettingsFactsStatement.Facts settings) {
    List<String> red = new ArrayList<>();
    if (!settings.fsync().equals("on")) {
      red.add("fsync = " + settings.fsync());
    }
    if (!settings.fullPageWrites().equals("on")) {
      red.add("full_page_writes = " + settings.fullPageWrites());
    }
    if (!red.isEmpty()) {
      return Check.SETTINGS.red(
          "A crash of the server may corrupt the queue: %s.".formatted(String.join(", ", red)),
          new Fix(
              "ALTER SYSTEM RESET fsync; ALTER SYSTEM RESET full_page_writes; SELECT pg_reload_conf();",
              "set both to on in postgresql.conf"));
    }
    if (settings.synchronousCommit().equals("off")) {
      return Check.SETTINGS.yellow(
          "A crash of the server may lose jobs enqueued or completed just before: synchronous_commit = off.",
          new Fix(
              "ALTER SYSTEM RESET synchronous_commit; SELECT pg_reload_conf();",
              "remove synchronous_commit from the role, the database and the JDBC URL"));
    }
    return Check.SETTINGS.green(
        "fsync, full_page_writes and synchronous_commit = %s are durable."
            .formatted(settings.synchronousCommit()));
  }

  /**
   * @param driversProcess the server process that the driver was connected to
   */
  static Finding pooler(ServerFactsStatement.Facts server, OptionalInt driversProcess) {
    if (driversProcess.isEmpty()) {
      return Check.POOLER.notChecked(
          "The connections are not those of PostgreSQL's driver.",
          new Fix("skipjack doctor", "build the queue on a data source of PostgreSQL's driver"));
    }
    return driversProcess.getAsInt() == server.process()
        ? Check.POOLER.green("The connection leads to the server without a pooler.")
        : Check.POOLER.yellow(
            "The connection goes through a pooler, whose mode cannot be determined from here.",
            new Fix(
                "check pool_mode in the configuration of the pooler; session mode needs no change",
                "in transaction mode: JobQueue.builder(dataSource).listenOn(direct), and prepareThreshold=0 in the JDBC URL"));
  }

  /**
   * Compares the clocks. The server's clock was read between two readings of this machine's clock.
   */
  static Finding clock(ServerFactsStatement.Facts server, Instant before, Instant after) {
    Duration behind = Duration.between(server.now(), before);
    Duration ahead = Duration.between(after, server.now());
    Duration difference = behind.compareTo(ahead) > 0 ? behind : ahead;
    if (difference.compareTo(CLOCK_YELLOW) < 0) {
      return Check.CLOCK.green("The clocks of this machine and the server agree within a second.");
    }
    String sentence =
        "The clock of this machine is %s %s that of the server."
            .formatted(Spans.of(difference), difference.equals(behind) ? "ahead of" : "behind");
    Fix fix = new Fix("timedatectl set-ntp true", "synchronize both machines with NTP");
    return difference.compareTo(CLOCK_RED) < 0
        ? Check.CLOCK.yellow(sentence, fix)
        : Check.CLOCK.red(sentence, fix);
  }

  static Finding connections(ConnectionFactsStatement.Facts connections) {
    int usable = connections.maximum() - connections.reserved();
    long left = usable - connections.used();
    String sentence = "%d of %d connections are left.".formatted(Math.max(0, left), usable);
    Fix fix =
        new Fix(
            "ALTER SYSTEM SET max_connections = %d; (and a restart)"
                .formatted(2 * connections.maximum()),
            "smaller pools in the applications, or a pooler");
    if (left < Math.max(3, usable / 20)) {
      return Check.CONNECTIONS.red(sentence, fix);
    }
    return left < usable / 5
        ? Check.CONNECTIONS.yellow(sentence, fix)
        : Check.CONNECTIONS.green(sentence);
  }

  /**
   * @param used the part of the queue that is full, from 0 to 1
   */
  static Finding notifyQueue(double used) {
    String sentence = "The queue of notifications is %.0f %% full.".formatted(100 * used);
    Fix fix =
        new Fix(
            "SELECT pid, xact_start, query FROM pg_stat_activity WHERE state = 'idle in transaction' ORDER BY xact_start;",
            "end the session that listens and keeps a transaction open");
    if (used >= 0.5) {
      return Check.NOTIFY_QUEUE.red(sentence, fix);
    }
    return used >= 0.1
        ? Check.NOTIFY_QUEUE.yellow(sentence, fix)
        : Check.NOTIFY_QUEUE.green(sentence);
  }

  /**
   * @param holders the holders of snapshots, oldest first, those of unknown age last
   * @param role the role that read them
   */
  static Finding horizon(List<HorizonStatement.Holder> holders, String role) {
    long hidden = holders.stream().filter(holder -> holder.age() == null).count();
    List<HorizonStatement.Holder> known =
        holders.stream().filter(holder -> holder.age() != null).toList();
    @Nullable Finding yellow = null;
    for (HorizonStatement.Holder holder : known) {
      Duration open =
          holder.since() == null ? Duration.ZERO : Duration.between(holder.since(), holder.now());
      int age = holder.age() == null ? 0 : holder.age();
      boolean red = open.compareTo(HORIZON_RED) >= 0 || age >= HORIZON_RED_AGE;
      if (red) {
        return Check.VACUUM_HORIZON.red(named(holder, open, age), end(holder));
      }
      if (yellow == null && (open.compareTo(HORIZON_YELLOW) >= 0 || age >= HORIZON_YELLOW_AGE)) {
        yellow = Check.VACUUM_HORIZON.yellow(named(holder, open, age), end(holder));
      }
    }
    if (yellow != null) {
      return yellow;
    }
    if (hidden > 0) {
      return Check.VACUUM_HORIZON.notChecked(
          "No visible transaction has held back vacuum for %s, but the role %s may not see the transactions of other roles (%d %s)."
              .formatted(
                  Spans.of(HORIZON_YELLOW), role, hidden, hidden == 1 ? "session" : "sessions"),
          new Fix(
              "GRANT pg_read_all_stats TO %s; -- by a superuser"
                  .formatted(Quoting.identifier(role)),
              "run the doctor as a role that has this grant"));
    }
    return Check.VACUUM_HORIZON.green(
        "No transaction has held back vacuum for %s.".formatted(Spans.of(HORIZON_YELLOW)));
  }

  private static String named(HorizonStatement.Holder holder, Duration open, int age) {
    String behind = Counted.of(age, "transaction", "transactions");
    return switch (holder.what()) {
      case "session" ->
          "The transaction of process %s (%s) has been open for %s and holds back vacuum by %s. Query: %s"
              .formatted(holder.id(), holder.owner(), Spans.of(open), behind, holder.query());
      case "prepared" ->
          "The prepared transaction '%s' (%s) has been open for %s and holds back vacuum by %s."
              .formatted(holder.id(), holder.owner(), Spans.of(open), behind);
      default ->
          "The replication slot '%s' holds back vacuum by %s.".formatted(holder.id(), behind);
    };
  }

  private static Fix end(HorizonStatement.Holder holder) {
    String literal = "'" + holder.id().replace("'", "''") + "'";
    return switch (holder.what()) {
      case "session" ->
          new Fix(
              "SELECT pg_terminate_backend(%s);".formatted(holder.id()),
              "end the transaction in the application; idle_in_transaction_session_timeout limits such transactions");
      case "prepared" ->
          new Fix(
              "ROLLBACK PREPARED %s;".formatted(literal),
              "commit or roll back the transaction in its transaction manager");
      default ->
          new Fix(
              "SELECT pg_drop_replication_slot(%s);".formatted(literal),
              "start the standby or consumer that uses the slot");
    };
  }
}
