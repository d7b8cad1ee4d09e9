package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jooq.DSLContext;

/** Runs the checks on PostgreSQL. Safe for any number of threads. */
public final class JooqDoctor implements Doctor {

  /**
   * Matches the SQLSTATEs of a lost connection, of a server that starts or stops or has no free
   * connection, of a rejected login and of a database that does not exist.
   */
  private static final Pattern UNREACHABLE = Pattern.compile("08...|28...|57P..|53300|3D000");

  private final OwnTransactions transactions;
  private final int neededSchema;
  private final Statement<NoRequest, Integer> schemaVersion;
  private final Statement<NoRequest, ServerFactsStatement.Facts> server;
  private final Statement<NoRequest, SettingsFactsStatement.Facts> settings;
  private final Statement<NoRequest, ConnectionFactsStatement.Facts> connections;
  private final Statement<NoRequest, Double> notifyQueue;
  private final Statement<NoRequest, HorizonStatement.Holder> horizon;
  private final Statement<NoRequest, TableFactsStatement.Facts> tables;
  private final Statement<NoRequest, PartitionFactsStatement.Facts> partitions;
  private final Statement<NoRequest, LeaseFactsStatement.Facts> leases;
  private final Statement<NoRequest, LivingWorkersStatement.Facts> workers;
  private final Statement<NoRequest, DueKindsStatement.Facts> dueKinds;
  private final Statement<NoRequest, DueKindsStatement.Facts> waitingKinds;
  private final Statement<NoRequest, PausedQueuesStatement.Facts> pausedQueues;
  private final Statement<NoRequest, DeadJobFactsStatement.Facts> deadJobs;
  private final JobReader reader;
  private final Statement<NoRequest, ScheduleFactsStatement.Facts> schedules;
  private final Statement<NoRequest, BlockedKeyFactsStatement.Facts> blockedKeys;
  private final Statement<NoRequest, OutboxFactsStatement.Facts> outbox;

  /**
   * Creates a doctor. Opens no connection.
   *
   * @param transactions the transactions, which should be {@link OwnTransactions#readOnly}
   * @param dialect renders statements for the queue's schema, without a connection
   * @param schema the queue's schema as it is named in the catalog
   * @param neededSchema the version of the schema that this program needs
   * @param reader lists the attempts that have run longest
   */
  public JooqDoctor(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      String schema,
      int neededSchema,
      JobReader reader) {
    this.transactions = transactions;
    this.neededSchema = neededSchema;
    this.schemaVersion = Statement.lazily(() -> SchemaVersionStatement.of(dialect.get()));
    this.server = Statement.lazily(() -> ServerFactsStatement.of(dialect.get()));
    this.settings = Statement.lazily(() -> SettingsFactsStatement.of(dialect.get()));
    this.connections = Statement.lazily(() -> ConnectionFactsStatement.of(dialect.get()));
    this.notifyQueue = Statement.lazily(() -> NotifyQueueStatement.of(dialect.get()));
    this.horizon = Statement.lazily(() -> HorizonStatement.of(dialect.get()));
    this.tables = Statement.lazily(() -> TableFactsStatement.of(dialect.get(), schema));
    this.partitions = Statement.lazily(() -> PartitionFactsStatement.of(dialect.get(), schema));
    this.leases = Statement.lazily(() -> LeaseFactsStatement.of(dialect.get()));
    this.workers = Statement.lazily(() -> LivingWorkersStatement.of(dialect.get()));
    this.dueKinds = Statement.lazily(() -> DueKindsStatement.of(dialect.get()));
    this.waitingKinds = Statement.lazily(() -> WaitingKindsStatement.of(dialect.get()));
    this.deadJobs = Statement.lazily(() -> DeadJobFactsStatement.of(dialect.get()));
    this.reader = reader;
    this.pausedQueues = Statement.lazily(() -> PausedQueuesStatement.of(dialect.get()));
    this.schedules = Statement.lazily(() -> ScheduleFactsStatement.of(dialect.get()));
    this.blockedKeys = Statement.lazily(() -> BlockedKeyFactsStatement.of(dialect.get()));
    this.outbox = Statement.lazily(() -> OutboxFactsStatement.of(dialect.get()));
  }

  @Override
  public List<Finding> run() {
    return List.of(
        guarded(
            Check.SCHEMA_VERSION,
            () -> WorkChecks.schemaVersion(first(schemaVersion), neededSchema)),
        guarded(Check.SETTINGS, () -> ServerChecks.settings(first(settings))),
        guarded(Check.POOLER, this::pooler),
        guarded(Check.CLOCK, this::clock),
        guarded(Check.CONNECTIONS, () -> ServerChecks.connections(first(connections))),
        guarded(Check.NOTIFY_QUEUE, () -> ServerChecks.notifyQueue(first(notifyQueue))),
        guarded(
            Check.VACUUM_HORIZON,
            () -> ServerChecks.horizon(transactions.run(horizon), first(server).role())),
        guarded(
            Check.DEAD_ROWS,
            () -> StorageChecks.deadRows(transactions.run(tables), first(server).standby())),
        guarded(
            Check.INDEX_SIZE,
            () -> StorageChecks.indexSize(transactions.run(tables), first(server).standby())),
        guarded(
            Check.PARTITIONS,
            () -> StorageChecks.partitions(transactions.run(partitions), first(server).now())),
        guarded(Check.LEASES, () -> WorkChecks.leases(first(leases))),
        guarded(
            Check.WORKERS,
            () -> WorkChecks.workers(transactions.run(workers), transactions.run(dueKinds))),
        guarded(Check.KINDS, () -> WorkChecks.kinds(transactions.run(workers), kindsThatWait())),
        guarded(Check.PAUSED_QUEUES, () -> WorkChecks.pausedQueues(transactions.run(pausedQueues))),
        guarded(Check.DEAD_JOBS, () -> WorkChecks.deadJobs(first(deadJobs))),
        guarded(
            Check.LONG_ATTEMPTS,
            () ->
                WorkChecks.longAttempts(reader.longestRunning(RunningJob.LONG, JobQuery.LARGEST))),
        guarded(
            Check.SCHEDULES,
            () -> WorkChecks.schedules(transactions.run(schedules), transactions.run(workers))),
        guarded(Check.BLOCKED_KEYS, () -> WorkChecks.blockedKeys(transactions.run(blockedKeys))),
        guarded(Check.DEAD_EVENTS, () -> OutboxChecks.deadEvents(first(outbox))),
        guarded(Check.RELAYS, () -> OutboxChecks.relays(first(outbox))));
  }

  /** Returns the kinds of due jobs, those that wait for their ordering key among them. */
  private List<DueKindsStatement.Facts> kindsThatWait() {
    return Stream.concat(
            transactions.run(dueKinds).stream(), transactions.run(waitingKinds).stream())
        .toList();
  }

  private <R> R first(Statement<NoRequest, R> statement) {
    return transactions.run(statement).get(0);
  }

  /** Compares the server process with the one that the driver was connected to. */
  private Finding pooler() {
    return transactions.inOne(
        session ->
            ServerChecks.pooler(
                session.run(server, NoRequest.NONE).get(0), session.serverProcess()));
  }

  /** Reads the clock of this machine before and after the server reads its own. */
  private Finding clock() {
    return transactions.inOne(
        session -> {
          Instant before = Instant.now();
          ServerFactsStatement.Facts facts = session.run(server, NoRequest.NONE).get(0);
          return ServerChecks.clock(facts, before, Instant.now());
        });
  }

  /**
   * Runs a check.
   *
   * @return its finding, or that the server rejected its statements
   * @throws StoreException if the database cannot be reached or accepts no connection
   */
  private static Finding guarded(Check check, Supplier<Finding> work) {
    try {
      return work.get();
    } catch (StoreException failure) {
      String state = failure.sqlState().orElse("08000");
      if (UNREACHABLE.matcher(state).matches()) {
        throw failure;
      }
      return rejected(check, state, failure);
    }
  }

  private static Finding rejected(Check check, String state, StoreException failure) {
    return switch (state) {
      // The role may not read a table or call a function.
      case "42501" ->
          check.notChecked(
              "The role may not read what this check needs.",
              new Fix(
                  "skipjack roles", "grant the role viewer or operator of docs/guides/roles.md"));
      // There is no such table, function or schema.
      case "42P01", "42883", "3F000" ->
          check == Check.SCHEMA_VERSION
              ? check.red(
                  "There is no queue in this schema.",
                  new Fix("skipjack migrate", "Migrations.migrate(dataSource, schema)"))
              : check.notChecked(
                  "The schema lacks a table that this check reads.",
                  new Fix("skipjack migrate", "Migrations.migrate(dataSource, schema)"));
      default ->
          check.notChecked(
              String.valueOf(failure.getMessage()),
              new Fix("skipjack doctor", "repeat the check; the server rejected its statement"));
    };
  }
}
