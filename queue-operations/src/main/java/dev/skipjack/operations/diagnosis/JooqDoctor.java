package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.sql.DoctorCheck;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.SchemaExtension;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jooq.DSLContext;

/** Runs the checks on PostgreSQL. Safe for any number of threads. */
public final class JooqDoctor implements Doctor {

  /**
   * Matches the SQLSTATEs of an unavailable server or database: connection failures, rejected
   * logins, a starting or stopping server, no free connection, and a missing database.
   */
  private static final Pattern UNREACHABLE = Pattern.compile("08...|28...|57P..|53300|3D000");

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;
  private final String schema;
  private final int neededSchema;
  private final Statement<NoRequest, Integer> schemaVersion;
  private final Statement<NoRequest, ServerFactsStatement.Facts> server;
  private final Statement<NoRequest, SettingsFactsStatement.Facts> settings;
  private final Statement<NoRequest, ConnectionFactsStatement.Facts> connections;
  private final Statement<NoRequest, Double> notifyQueue;
  private final Statement<NoRequest, HorizonStatement.Holder> horizon;
  private final Statement<NoRequest, TableFactsStatement.Facts> tables;
  private final Statement<NoRequest, LeaseFactsStatement.Facts> leases;
  private final Statement<NoRequest, LivingWorkersStatement.Facts> workers;
  private final Statement<NoRequest, DueKindsStatement.Facts> dueKinds;
  private final Statement<NoRequest, DueKindsStatement.Facts> waitingKinds;
  private final Statement<NoRequest, PausedQueuesStatement.Facts> pausedQueues;
  private final Statement<NoRequest, LimitSettingsStatement.Facts> limitSettings;
  private final Statement<NoRequest, DeadJobFactsStatement.Facts> deadJobs;
  private final JobReader reader;
  private final Statement<NoRequest, ScheduleFactsStatement.Facts> schedules;
  private final Statement<NoRequest, BlockedKeyFactsStatement.Facts> blockedKeys;
  private final List<SchemaExtension> extensions;

  /**
   * Creates a doctor. Opens no connection.
   *
   * @param transactions the transactions, which should be {@link OwnTransactions#readOnly}
   * @param dialect renders statements for the queue's schema, without a connection
   * @param schema the queue's schema as it is named in the catalog
   * @param neededSchema the version of the schema that this program needs
   * @param reader lists the attempts that have run longest
   * @param extensions add checks and tables with partitions
   */
  public JooqDoctor(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      String schema,
      int neededSchema,
      JobReader reader,
      List<SchemaExtension> extensions) {
    this.transactions = transactions;
    this.dialect = dialect;
    this.schema = schema;
    this.neededSchema = neededSchema;
    this.schemaVersion = Statement.lazily(() -> SchemaVersionStatement.of(dialect.get()));
    this.server = Statement.lazily(() -> ServerFactsStatement.of(dialect.get()));
    this.settings = Statement.lazily(() -> SettingsFactsStatement.of(dialect.get()));
    this.connections = Statement.lazily(() -> ConnectionFactsStatement.of(dialect.get()));
    this.notifyQueue = Statement.lazily(() -> NotifyQueueStatement.of(dialect.get()));
    this.horizon = Statement.lazily(() -> HorizonStatement.of(dialect.get()));
    this.tables = Statement.lazily(() -> TableFactsStatement.of(dialect.get(), schema));
    this.leases = Statement.lazily(() -> LeaseFactsStatement.of(dialect.get()));
    this.workers = Statement.lazily(() -> LivingWorkersStatement.of(dialect.get()));
    this.dueKinds = Statement.lazily(() -> DueKindsStatement.of(dialect.get()));
    this.waitingKinds = Statement.lazily(() -> WaitingKindsStatement.of(dialect.get()));
    this.limitSettings = Statement.lazily(() -> LimitSettingsStatement.of(dialect.get()));
    this.deadJobs = Statement.lazily(() -> DeadJobFactsStatement.of(dialect.get()));
    this.reader = reader;
    this.pausedQueues = Statement.lazily(() -> PausedQueuesStatement.of(dialect.get()));
    this.schedules = Statement.lazily(() -> ScheduleFactsStatement.of(dialect.get()));
    this.blockedKeys = Statement.lazily(() -> BlockedKeyFactsStatement.of(dialect.get()));
    this.extensions = extensions;
  }

  @Override
  public List<Finding> run() {
    return Stream.concat(ownFindings().stream(), extensions.stream().flatMap(this::findingsOf))
        .toList();
  }

  private List<Finding> ownFindings() {
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
        guarded(Check.PARTITIONS, this::partitions),
        guarded(Check.LEASES, () -> WorkChecks.leases(first(leases))),
        guarded(
            Check.WORKERS,
            () -> WorkChecks.workers(transactions.run(workers), transactions.run(dueKinds))),
        guarded(Check.KINDS, () -> WorkChecks.kinds(transactions.run(workers), kindsThatWait())),
        guarded(Check.PAUSED_QUEUES, () -> WorkChecks.pausedQueues(transactions.run(pausedQueues))),
        guarded(Check.LIMITS, () -> WorkChecks.limits(transactions.run(limitSettings))),
        guarded(Check.DEAD_JOBS, () -> WorkChecks.deadJobs(first(deadJobs))),
        guarded(
            Check.LONG_ATTEMPTS,
            () ->
                WorkChecks.longAttempts(reader.longestRunning(RunningJob.LONG, JobQuery.LARGEST))),
        guarded(
            Check.SCHEDULES,
            () -> WorkChecks.schedules(transactions.run(schedules), transactions.run(workers))),
        guarded(Check.BLOCKED_KEYS, () -> WorkChecks.blockedKeys(transactions.run(blockedKeys))));
  }

  private Stream<Finding> findingsOf(SchemaExtension extension) {
    try {
      return extension.checks(dialect.get()).stream().map(this::findingOf);
    } catch (Throwable failure) {
      return Stream.of(failed(Check.EXTENSIONS, failure));
    }
  }

  private Finding findingOf(SchemaExtension.Check extra) {
    try {
      return extra.run().apply(transactions);
    } catch (Throwable failure) {
      return failed(extra.check(), failure);
    }
  }

  /** Checks the partitions of the jobs' tables, and of the extensions' tables that are used. */
  private Finding partitions() {
    List<String> used = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (SchemaExtension extension : extensions) {
      try {
        if (first(extension.isUsed(dialect.get()))) {
          used.add(extension.dailyTable());
        }
      } catch (Throwable failure) {
        failures.add(failure);
      }
    }
    Finding finding =
        StorageChecks.partitions(
            transactions.run(PartitionFactsStatement.of(dialect.get(), schema, used)),
            used,
            first(server).now());
    return finding.level() == Level.GREEN && !failures.isEmpty()
        ? failed(Check.PARTITIONS, failures.get(0))
        : finding;
  }

  /** Returns the kinds of due jobs, including jobs that wait for their ordering key. */
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
   * @return its finding, or a finding that the server rejected its statements
   * @throws StoreException if the database cannot be reached or accepts no connection
   */
  private static Finding guarded(DoctorCheck check, Supplier<Finding> work) {
    try {
      return work.get();
    } catch (StoreException failure) {
      return rejected(check, failure);
    }
  }

  /** Returns the finding for a failure in the code of an extension. */
  private static Finding failed(DoctorCheck check, Throwable failure) {
    return failure instanceof StoreException refused
        ? rejected(check, refused)
        : check.notChecked(
            failure.toString(),
            new Fix("skipjack doctor", "use the same version of all Skipjack modules"));
  }

  private static Finding rejected(DoctorCheck check, StoreException failure) {
    String state = failure.sqlState().orElse("08000");
    if (UNREACHABLE.matcher(state).matches()) {
      throw failure;
    }
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
