package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.SchemaName;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.operations.bulk.AbandonedOperations;
import dev.skipjack.operations.bulk.JooqJobOperations;
import dev.skipjack.operations.diagnosis.JobExplainer;
import dev.skipjack.operations.diagnosis.JooqDoctor;
import dev.skipjack.operations.read.JooqJobReader;
import dev.skipjack.sql.KeptTransactions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnConnections;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.SchemaExtension;
import dev.skipjack.sql.SchemaExtensions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.OwnedJobsProvider;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.history.DailyPartitions;
import dev.skipjack.store.jooq.internal.history.JooqMaintenance;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import dev.skipjack.store.jooq.internal.payload.JacksonCodec;
import dev.skipjack.store.jooq.internal.payload.PayloadLimits;
import dev.skipjack.store.jooq.internal.schedule.JooqScheduleStore;
import dev.skipjack.store.jooq.internal.schedule.JooqSchedules;
import dev.skipjack.store.jooq.internal.steps.StoreParts;
import dev.skipjack.store.jooq.internal.steps.SweepExtension;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job queue in a PostgreSQL database, with which applications enqueue jobs. Workers and
 * extensions are built on it.
 *
 * <p>An enqueue through the queue itself runs in a transaction of the queue, which has been
 * committed when the call returns. An enqueuer from {@link #in} uses the caller's transaction, so
 * that a job is committed or rolled back together with the rows it belongs to.
 *
 * <p>Immutable and safe for any number of threads; create one instance and share it. It holds no
 * connection between calls and need not be closed.
 */
public final class JobQueue implements JobEnqueuer, QueueAccess {

  /** The name of the default schema. */
  public static final String DEFAULT_SCHEMA = "skipjack";

  private static final Logger LOG = LoggerFactory.getLogger(JobQueue.class);

  /** The version of the newest migration that this version of the library requires. */
  private static final int SCHEMA_VERSION = 9;

  private final DataSource dataSource;

  /** The data source of the workers' statements. */
  private final DataSource control;

  private final boolean listensApart;
  private final String schema;
  private final Lazy<DSLContext> dialect;
  private final EnqueueTransactions producers;
  private final Lazy<Side> ofWorkers;
  private final OwnConnections workerConnections;
  private final Lazy<JobStore> store;
  private final Lazy<List<Sweeper>> sweepers;
  private final Lazy<Maintenance> maintenance;
  private final Lazy<JooqWorkerRegistry> workers;
  private final Lazy<JobReader> reader;
  private final Lazy<Doctor> doctor;
  private final PayloadCodec codec;
  private final NewJobFactory jobFactory;
  private final EnqueueInterceptor interceptor;
  private final WakeUps wakeUps;
  private final DirectStart directStart;
  private final boolean startsDirectly;
  private final @Nullable WakeUpSender sender;
  private final JobEnqueuer own;
  private final Lazy<QueueExtension> extension;
  private final Lazy<QueueAdmin> admin;
  private final Lazy<JobOperations> operations;
  private final Lazy<Schedules> schedules;
  private final Lazy<ScheduleStore> scheduleStore;
  private final Lazy<Optional<OwnedJobs>> ownedJobs;

  private JobQueue(Builder settings, PayloadCodec codec) {
    this.dataSource = settings.dataSource;
    this.control = settings.controlOn == null ? dataSource : settings.controlOn;
    this.listensApart = settings.listenOn != null;
    this.schema = settings.schema;
    WakeUpChannel channel = new WakeUpChannel(schema);
    this.dialect = Lazy.of(() -> StatementDialect.forSchema(schema));
    OwnTransactions transactions =
        new OwnTransactions(dataSource).onReadOnlyServer(new IdleConnections(dataSource)::discard);
    this.startsDirectly = settings.isSameForAllThreads();
    this.directStart =
        new DirectStart(transactions, dialect, job -> JooqJobStore.started(store(), job));
    this.sender =
        settings.wakeUps
            ? new WakeUpSender(
                dataSource, channel, settings.silent, directStart::expect, System::nanoTime)
            : null;
    StrictOrdering strictOrdering = new StrictOrdering(dialect);
    EnqueueWriter writer = new EnqueueWriter(dialect, strictOrdering);
    Lazy<Side> application = Lazy.of(() -> new Side(transactions, dialect, this::checkOwners));
    this.workerConnections = OwnConnections.ofWorkers(control);
    this.ofWorkers =
        Lazy.of(
            () ->
                new Side(
                    new OwnTransactions(workerConnections)
                        .onReadOnlyServer(new IdleConnections(control)::discard),
                    dialect,
                    owners -> {})); // the workers sweep
    this.codec = codec;
    this.jobFactory = new NewJobFactory(codec, settings.limits);
    this.interceptor = new Interceptors(settings.interceptors);

    this.producers =
        new EnqueueTransactions(
            transactions,
            writer,
            () -> application.get().orderedJobs(),
            sender,
            directStart,
            settings.isSameForAllThreads() ? SharedWrites.of(transactions, writer) : null);
    this.own = new BoundEnqueuer(jobFactory, interceptor, producers::enqueue);
    this.reader = Lazy.of(() -> reader(transactions));
    Lazy<List<SchemaExtension>> extensions = Lazy.of(SchemaExtensions::load);
    this.doctor =
        Lazy.of(
            () ->
                new JooqDoctor(
                    transactions.readOnly(),
                    dialect,
                    schema,
                    SCHEMA_VERSION,
                    reader.get(),
                    extensions.get()));
    this.admin = Lazy.of(() -> application.get().admin(jobFactory));
    this.operations =
        Lazy.of(
            () ->
                new JooqJobOperations(
                    transactions,
                    dialect,
                    reader.get(),
                    connection -> within(transactions, connection).admin(jobFactory),
                    jobFactory::requirePatch));
    this.extension =
        Lazy.of(
            () ->
                new QueueExtension(
                    dialect,
                    transactions,
                    jobFactory::create,
                    interceptor,
                    producers::write,
                    strictOrdering,
                    producers,
                    wakeUp -> sender == null ? null : sender.within(wakeUp),
                    table ->
                        new DailyPartitions(
                            table, control, ofWorkers.get().transactions(), dialect, schema)));

    Runnable changed = sender == null ? () -> {} : sender::schedulesChanged;
    this.schedules =
        Lazy.of(() -> new JooqSchedules(transactions, dialect, jobFactory::create, changed));

    this.store = Lazy.of(() -> ofWorkers.get().store(writer, sender, jobFactory::create));
    this.sweepers = Lazy.of(this::loadSweepers);
    Lazy<Optional<OwnedJobsProvider>> owners = Lazy.of(OwnedJobsProvider::find);
    this.ownedJobs =
        Lazy.of(
            () ->
                owners
                    .get()
                    .map(each -> ofWorkers.get().ownedJobs(each, jobFactory, writer, sender)));
    this.scheduleStore =
        Lazy.of(
            () ->
                new JooqScheduleStore(
                    ofWorkers.get().transactions(),
                    dialect,
                    jobFactory::create,
                    ofWorkers.get().admin(jobFactory)::cancel,
                    strictOrdering,
                    ofWorkers.get().enqueues(writer, sender),
                    changed));
    this.workers =
        Lazy.of(
            () ->
                new JooqWorkerRegistry(
                    ofWorkers.get().transactions(), dialect, () -> reader.get().counts()));
    this.wakeUps =
        new PostgresWakeUps(settings.listenOn == null ? control : settings.listenOn, channel);
    this.maintenance =
        Lazy.of(
            () ->
                new JooqMaintenance(
                    control,
                    ofWorkers.get().transactions(),
                    dialect,
                    schema,
                    workers.get()::removeSilent,
                    new DeadJobPruner(ofWorkers.get().deadJobs()),
                    new OperationContinuation(abandonedOperations()),
                    extensions.get()));
    settings.preparation.execute(
        () -> {
          writer.prepare();
          codec.prepare();
        });
  }

  private JobReader reader(OwnTransactions transactions) {
    return new JooqJobReader(
        transactions.readOnly(), dialect, new JobExplainer(transactions, dialect)::why);
  }

  /** Returns what continues operations on the workers' connections. */
  private AbandonedOperations abandonedOperations() {
    OwnTransactions transactions = ofWorkers.get().transactions();
    return new AbandonedOperations(
        transactions,
        dialect,
        reader(transactions),
        connection -> within(transactions, connection).admin(jobFactory));
  }

  /**
   * The parts that exist separately for the application, the workers and a caller's transaction.
   */
  private record Side(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      PartitionHealing healing,
      Successors successors,
      DeadJobWalker deadJobs) {

    /**
     * @param checkOwners as for {@link Successors}
     */
    Side(OwnTransactions transactions, Lazy<DSLContext> dialect, Consumer<Set<Long>> checkOwners) {
      this(
          transactions,
          dialect,
          PartitionHealing.by(transactions, dialect),
          new Successors(new JooqOrderedJobs(transactions, dialect), checkOwners));
    }

    private Side(
        OwnTransactions transactions,
        Lazy<DSLContext> dialect,
        PartitionHealing healing,
        Successors successors) {
      this(
          transactions,
          dialect,
          healing,
          successors,
          new DeadJobWalker(transactions, healing, dialect, successors));
    }

    JooqOrderedJobs orderedJobs() {
      return successors.orderedJobs();
    }

    EnqueueTransactions enqueues(EnqueueWriter writer, @Nullable WakeUpSender wakeUps) {
      return new EnqueueTransactions(transactions, writer, this::orderedJobs, wakeUps, null, null);
    }

    JobStore store(
        EnqueueWriter writer, @Nullable WakeUpSender wakeUps, QueueExtension.JobFactory jobs) {
      return new JooqJobStore(
          transactions, dialect, healing, enqueues(writer, wakeUps), orderedJobs(), jobs);
    }

    OwnedJobs ownedJobs(
        OwnedJobsProvider provider,
        NewJobFactory jobFactory,
        EnqueueWriter writer,
        @Nullable WakeUpSender wakeUps) {
      EnqueueTransactions enqueues = enqueues(writer, wakeUps);
      return provider.create(
          new OwnedJobsProvider.Parts(
              transactions, dialect, enqueues::write, enqueues, admin(jobFactory)::cancel));
    }

    JooqQueueAdmin admin(NewJobFactory jobFactory) {
      return new JooqQueueAdmin(transactions, healing, dialect, jobFactory, successors, deadJobs);
    }
  }

  /**
   * Creates a queue in the schema {@value #DEFAULT_SCHEMA} with Jackson 2 as its codec.
   *
   * @param dataSource a connection pool. Each call borrows one connection at a time, for a short
   *     transaction. Do not pass a data source that is bound to the caller's transaction, such as
   *     Spring's {@code TransactionAwareDataSourceProxy}: while that transaction is open, calls
   *     throw {@link IllegalStateException} before any SQL is sent
   * @return the queue
   * @throws NullPointerException if {@code dataSource} is null
   */
  public static JobQueue on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * {@return a builder for a queue whose settings differ from the defaults}
   *
   * @param dataSource a connection pool, as for {@link #on}
   * @throws NullPointerException if {@code dataSource} is null
   */
  public static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /**
   * {@return an enqueuer that takes part in the transaction that is open on {@code transaction}}
   * jOOQ's exceptions for database errors are propagated unchanged.
   *
   * @param transaction a context with an open transaction, for example {@code configuration.dsl()}
   *     of the configuration that jOOQ passes to a transactional lambda
   */
  public JobEnqueuer in(DSLContext transaction) {
    return new BoundEnqueuer(
        jobFactory,
        interceptor,
        jobs -> transaction.connectionResult(connection -> producers.insert(connection, jobs)));
  }

  /**
   * Returns an enqueuer that takes part in the transaction that is open on {@code transaction}. It
   * neither commits the transaction nor closes the connection.
   */
  @Override
  public JobEnqueuer in(Connection transaction) {
    return new BoundEnqueuer(jobFactory, interceptor, jobs -> producers.enqueue(transaction, jobs));
  }

  /**
   * {@return an enqueuer that takes part in the transaction that is open on {@code transaction}, as
   * {@link #in(Connection)} does, but defers the wake-ups of workers until the caller sends them
   * after the commit}
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @param wakeUps the wake-ups of this transaction, from {@link #deferWakeUps}
   */
  public JobEnqueuer in(Connection transaction, DeferredWakeUps wakeUps) {
    return new BoundEnqueuer(
        jobFactory, interceptor, jobs -> producers.enqueue(transaction, jobs, wakeUps));
  }

  /**
   * {@return new wake-ups for one transaction of the caller} They are empty until jobs are
   * enqueued.
   */
  public DeferredWakeUps deferWakeUps() {
    return new DeferredWakeUps(sender == null ? null : sender.collect());
  }

  /**
   * {@return an enqueuer that takes part in the transaction that is open on {@code transaction}, as
   * {@link #in(Connection)} does} The caller reports the end of the transaction, so that wake-ups
   * are sent after the commit, and a job may start directly.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   * @param followed the transaction, from {@link #follow}
   */
  public JobEnqueuer in(Connection transaction, FollowedTransaction followed) {
    return new BoundEnqueuer(
        jobFactory, interceptor, jobs -> producers.enqueue(transaction, jobs, followed));
  }

  /**
   * {@return a new object to which the end of one transaction of the caller is reported} Jobs start
   * directly only if {@link Builder#sameForAllThreads} is true. The transaction must then be in the
   * database and schema of the queue's data source.
   */
  public FollowedTransaction follow() {
    return new FollowedTransaction(deferWakeUps());
  }

  /**
   * {@return access for a worker that runs jobs in an open transaction} The worker sees the jobs
   * that the transaction has enqueued, and writes their outcomes in it. Intended for tests that
   * roll back their transaction.
   *
   * <pre>{@code
   * JobRunner runner = Worker.on(queue.within(() -> connection)).handle(...).queue("emails", 1).build();
   * while (runner.runNext()) {}
   * }</pre>
   *
   * <p>The worker cannot be started. Its handlers run in the calling thread, and may use the
   * connection. Run one job at a time with {@code runNext()}, because {@code runUntilIdle()} would
   * write the outcome of a job while the next handler uses the connection. The worker's lease must
   * be at least three times as long as the longest handler, so that no handler runs during a
   * renewal.
   *
   * @param transaction supplies the connection of the transaction, which remains open. Called for
   *     each statement, also by other threads
   */
  public QueueAccess within(Supplier<Connection> transaction) {
    Side side = within(new OwnTransactions(control), transaction);
    EnqueueWriter writer = new EnqueueWriter(side.dialect(), new StrictOrdering(side.dialect()));
    return new TransactionAccess(
        this,
        side.store(writer, null, jobFactory::create),
        side.orderedJobs(),
        OwnedJobsProvider.find().map(each -> side.ownedJobs(each, jobFactory, writer, null)));
  }

  /** Returns the parts for statements in the transaction of the supplied connection. */
  private Side within(OwnTransactions transactions, Supplier<Connection> transaction) {
    return new Side(
        transactions.within(transaction),
        Lazy.of(() -> StatementDialect.withinTransaction(schema)),
        owners -> {}); // their ends are not committed yet
  }

  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return own.enqueue(type, payload, options);
  }

  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    return own.enqueueAll(type, payloads, options);
  }

  @Override
  public <T> EnqueueResult enqueueOnce(
      JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return own.enqueueOnce(type, payload, options);
  }

  @Override
  public <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
    return own.enqueueAllOnce(type, payloads, options);
  }

  @Override
  public JobStore store() {
    return store.get();
  }

  @Override
  public LeaseKeeper leases() {
    return new JooqLeaseKeeper(new KeptTransactions(workerConnections), dialect);
  }

  @Override
  public List<Sweeper> sweepers() {
    return sweepers.get();
  }

  /**
   * A module that cannot be loaded must not prevent a worker from running jobs: its sweep fails.
   */
  private List<Sweeper> loadSweepers() {
    try {
      return ServiceLoader.load(SweepExtension.class, SweepExtension.class.getClassLoader())
          .stream()
          .map(each -> each.get().sweeper(this, (StoreParts) store.get()))
          .toList();
    } catch (ServiceConfigurationError | LinkageError failure) {
      return List.of(
          () -> {
            throw failure;
          });
    }
  }

  @Override
  public Maintenance maintenance() {
    return maintenance.get();
  }

  @Override
  public WorkerRegistry workers() {
    return workers.get();
  }

  @Override
  public Optional<OrderedJobs> orderedJobs() {
    return Optional.of(ofWorkers.get().orderedJobs());
  }

  @Override
  public Optional<OwnedJobs> ownedJobs() {
    return ownedJobs.get();
  }

  /** Checks owners after an operator's command. If that fails, a worker's sweep checks them. */
  private void checkOwners(Set<Long> owners) {
    try {
      ownedJobs().ifPresent(jobs -> jobs.check(owners));
    } catch (RuntimeException | LinkageError failure) {
      LOG.debug("Owners not checked, left to a worker owners={}", owners, failure);
    }
  }

  /** {@return the data source on which the queue was built} */
  public DataSource dataSource() {
    return dataSource;
  }

  /** {@return the schema of the queue's tables, without quotes} */
  public String schema() {
    return schema;
  }

  @Override
  public int schemaVersion() {
    return SCHEMA_VERSION;
  }

  @Override
  public Optional<WakeUps> wakeUps() {
    return Optional.of(wakeUps);
  }

  @Override
  public Optional<LocalWorkers> localWorkers() {
    return startsDirectly ? Optional.of(directStart) : Optional.empty();
  }

  /** Returns whether {@link Builder#listenOn} was called. */
  @Override
  public boolean listensApart() {
    return listensApart;
  }

  /** Returns the maximum size of the pool that workers use, if it is or wraps a HikariCP pool. */
  @Override
  public OptionalInt poolSize() {
    return PoolSize.of(control);
  }

  @Override
  public PayloadCodec codec() {
    return codec;
  }

  @Override
  public String encodeResult(String kind, Object result) {
    return jobFactory.encodeResult(kind, result);
  }

  /** {@return the administrative operations on jobs and queues} */
  public QueueAdmin admin() {
    return admin.get();
  }

  /** {@return the bulk operations, which change many jobs by filter and keep a record} */
  public JobOperations operations() {
    return operations.get();
  }

  /** {@return the read-only queries on jobs and queues, for dashboards and tools} */
  public JobReader reader() {
    return reader.get();
  }

  /** {@return the checks of the queue, its database and its workers, for operators} */
  public Doctor doctor() {
    return doctor.get();
  }

  /**
   * {@return the operations that declare, add, change and list schedules} Running workers fire the
   * schedules.
   */
  public Schedules schedules() {
    return schedules.get();
  }

  /**
   * Returns the operations on schedules in the transaction that is open on {@code transaction}.
   * They neither commit it nor roll it back. Workers find the changes with their next poll.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit; in
   *     auto-commit mode, each operation throws {@link IllegalArgumentException}. The connection is
   *     not closed
   * @return the operations, which can be used until the transaction ends. If one fails, what it has
   *     changed is undone, and the transaction can continue
   */
  public Schedules schedulesIn(Connection transaction) {
    return new JooqSchedules(
        new OwnTransactions(dataSource).within(() -> transaction),
        Lazy.of(() -> StatementDialect.withinTransaction(schema)),
        jobFactory::create,
        () -> {});
  }

  @Override
  public Optional<ScheduleStore> scheduleStore() {
    return Optional.of(scheduleStore.get());
  }

  /**
   * {@return the parts of this queue on which modules build other ways of enqueueing} This method
   * is not intended for applications.
   */
  public QueueExtension extension() {
    return extension.get();
  }

  /** Builds a {@link JobQueue}. Not thread-safe. */
  public static final class Builder {

    private final DataSource dataSource;
    private String schema = DEFAULT_SCHEMA;
    private @Nullable PayloadCodec codec;
    private boolean wakeUps = true;
    private final Set<String> silent = new HashSet<>();
    private Executor preparation = Runnable::run;
    private @Nullable DataSource listenOn;
    private @Nullable DataSource controlOn;
    private final List<EnqueueInterceptor> interceptors = new ArrayList<>();
    private PayloadLimits limits = new PayloadLimits(PayloadLimits.LARGEST);
    private @Nullable Boolean sameForAllThreads;

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * Sets the schema in which the migrations were run, without quotes. Default: {@value
     * #DEFAULT_SCHEMA}.
     *
     * @param schema the name of the schema
     * @return this builder
     * @throws IllegalArgumentException if the name is blank, longer than 63 bytes in UTF-8, or
     *     contains a NUL character
     */
    public Builder schema(String schema) {
      this.schema = SchemaName.require(schema);
      return this;
    }

    /**
     * Sets the codec, which converts payloads to JSON and back. Default: Jackson 2, which must then
     * be on the class path.
     *
     * @param codec converts payloads and results
     * @return this builder
     */
    public Builder codec(PayloadCodec codec) {
      this.codec = codec;
      return this;
    }

    /**
     * Sets the maximum size of a payload as JSON, in bytes of UTF-8. Default: 262,144 (256 KiB).
     * Larger payloads make every claim slower. The schema's function {@code enqueue} always uses
     * the default. PostgreSQL stores numbers without exponents: {@code 1e100} becomes 101 digits.
     * In that form, a payload may be at most twice as large as this limit. The same limits apply to
     * results.
     *
     * @param bytes 1,024 (1 KiB) to 16,777,216 (16 MiB)
     * @return this builder
     */
    public Builder payloadLimit(int bytes) {
      this.limits = new PayloadLimits(bytes);
      return this;
    }

    /**
     * Adds an interceptor around every enqueue, both in the queue's own transactions and in
     * callers' transactions. The first one added is outermost: it is called first, and receives the
     * results last.
     *
     * @param interceptor called for every enqueue
     * @return this builder
     */
    public Builder interceptor(EnqueueInterceptor interceptor) {
      interceptors.add(interceptor);
      return this;
    }

    /**
     * Sets the data source of the connections on which workers listen for new jobs. If the queue's
     * connections go through a pooler in transaction mode, set a data source with direct
     * connections. Default: the data source of the workers' other statements.
     *
     * @param direct a data source whose connections reach the server directly
     * @return this builder
     */
    public Builder listenOn(DataSource direct) {
      this.listenOn = direct;
      return this;
    }

    /**
     * Sets a separate pool for the workers' own statements: claims, heartbeats, outcomes,
     * maintenance and listening. Handlers that use up the application's connections then cannot
     * block the workers. Default: the queue's pool. Enqueues, administrative operations and reads
     * always use the queue's pool.
     *
     * @param control a data source for the workers' own statements
     * @return this builder
     */
    public Builder controlOn(DataSource control) {
      this.controlOn = control;
      return this;
    }

    /**
     * Sets whether enqueueing a job that is due immediately wakes workers with NOTIFY. Default:
     * true. Set this to false in an application that enqueues at a high rate and whose jobs can
     * wait for the next poll, to avoid the lock that NOTIFY takes at commit. To disable wake-ups
     * only for some queues or for a single enqueue, use {@link #withoutWakeUps} or {@link
     * EnqueueOptions#withoutWakeUp()}.
     *
     * @param wakeUps whether enqueues wake workers
     * @return this builder
     */
    public Builder wakeUps(boolean wakeUps) {
      this.wakeUps = wakeUps;
      return this;
    }

    /**
     * Sets whether the queue's data source gives every thread an equivalent connection: to the same
     * database, with the same schema and role. Default: true for a HikariCP pool that is not
     * wrapped, false for any other data source. Do not set this to true for a data source that
     * chooses by the calling thread, such as Spring's {@code AbstractRoutingDataSource}: jobs would
     * get into another tenant's database, or run in another tenant's worker.
     *
     * <p>If true, single enqueues of several threads may share a commit, and a job may start
     * directly in a free slot of a worker that was started on this queue object. If the connection
     * breaks during a shared commit, the outcome is unknown for all of its jobs. Virtual threads
     * never share a commit.
     *
     * @param sameForAllThreads whether every thread gets an equivalent connection
     * @return this builder
     */
    public Builder sameForAllThreads(boolean sameForAllThreads) {
      this.sameForAllThreads = sameForAllThreads;
      return this;
    }

    private boolean isSameForAllThreads() {
      return sameForAllThreads == null ? SharedWrites.suits(dataSource) : sameForAllThreads;
    }

    /**
     * Disables wake-ups for jobs of these queues. The next poll of a worker finds the jobs. Jobs of
     * other queues still wake workers. The schema's function {@code enqueue} ignores this setting.
     *
     * @param queue the name of a queue
     * @param more the names of further queues
     * @return this builder
     * @throws IllegalArgumentException if a name is not a valid queue name
     */
    public Builder withoutWakeUps(String queue, String... more) {
      for (String name : Stream.concat(Stream.of(queue), Stream.of(more)).toList()) {
        silent.add(Names.requireQueue(name));
      }
      return this;
    }

    /**
     * Sets the executor that prepares the queue for its first enqueue. The preparation loads the
     * classes that render SQL, which takes a few hundred milliseconds for the first queue of a
     * process. Default: {@link #build()} prepares the queue in the calling thread. If the executor
     * uses another thread, {@code build()} does not wait, and an enqueue waits only if the
     * preparation has not ended.
     *
     * @param preparation the executor, called once, by {@code build()}. If it does not run the
     *     preparation, the first enqueue prepares the queue
     * @return this builder
     */
    public Builder prepareIn(Executor preparation) {
      this.preparation = preparation;
      return this;
    }

    /**
     * Builds the queue. Opens no connection. See {@link #prepareIn} for the time that it takes.
     *
     * @return the job queue
     * @throws IllegalStateException if no codec was set and Jackson 2 is not on the class path
     */
    public JobQueue build() {
      if (codec == null) {
        requireJackson();
      }
      return new JobQueue(this, codec == null ? new JacksonCodec() : codec);
    }

    /** Requires Jackson. Loads its class only if there is no class file, as in a native image. */
    private static void requireJackson() {
      ClassLoader classes = JobQueue.class.getClassLoader();
      if (classes.getResource("com/fasterxml/jackson/databind/json/JsonMapper.class") != null) {
        return;
      }
      try {
        Class.forName("com.fasterxml.jackson.databind.json.JsonMapper", false, classes);
      } catch (ClassNotFoundException missing) {
        throw new IllegalStateException(
            "Payloads cannot be converted to JSON, because Jackson is not on the class path. Add"
                + " com.fasterxml.jackson.core:jackson-databind for Jackson 2,"
                + " dev.skipjack:skipjack-jackson3 for Jackson 3, or set a PayloadCodec with"
                + " JobQueue.builder(dataSource).codec(...).",
            missing);
      }
    }
  }
}
