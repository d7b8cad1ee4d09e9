package dev.skipjack.importing;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.spi.Limits;
import dev.skipjack.api.spi.Names;
import dev.skipjack.store.jooq.JobQueue;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Moves the waiting jobs of another queue into Skipjack, in the same database.
 *
 * <pre>{@code
 * Importer importer = Importer.from(Source.dbScheduler("scheduled_tasks")).into(queue)
 *     .type("send-email", SEND_EMAIL)
 *     .build();
 * System.out.println(importer.plan(dataSource));
 * importer.run(dataSource);
 * }</pre>
 *
 * <p>An import can be interrupted at any time and repeated. Rows leave their source and become jobs
 * in the same transaction. Workers of both queues may run meanwhile. A job keeps its due time,
 * except that an overdue job is due at once. Failed attempts count: a job with {@code n} of them
 * has {@code n} fewer left, but at least one. A recurring row becomes a schedule only if the
 * schedule's next time equals the one that the source stores, if any. Before the import, remove
 * recurring jobs from the code that declares them in the source.
 *
 * <p>{@link #run} keeps a copy of each row in the table {@code job_imports} in Skipjack's schema,
 * which it creates. Because of the copies, no row is imported twice, and {@link #undo} can return
 * jobs that have not started. Drop the table once you need neither.
 *
 * <p>The database user needs the roles producer and worker of Skipjack, and the rights to select
 * and delete in the tables of the source, to insert there for {@link #undo}, to update Quartz's
 * table of jobs, whose rows are locked, and to select, insert and delete in {@code job_imports}. If
 * the user may not create that table, the owner of the other tables must. Immutable and safe for
 * any number of threads, and several imports of the same source may run at once.
 */
public final class Importer {

  /**
   * The maximum number of rows that are read and moved together. Each row has at most a few MiB.
   */
  private static final int BATCH = 100;

  private static final int HIGHEST_PRIORITY = 100;

  private final Source source;
  private final JobQueue target;
  private final Map<String, String> kinds;
  private final Map<String, PayloadReader> readers;
  private final Map<String, PayloadReader> checks;
  private final Map<String, JobType<?>> types;
  private final Set<String> only;
  private final @Nullable String queue;
  private final @Nullable Integer maxAttempts;
  private final boolean unique;
  private final @Nullable String plan;

  private Importer(Builder settings) {
    this.source = settings.source;
    this.target = settings.target;
    this.kinds = Map.copyOf(settings.kinds);
    this.readers = Map.copyOf(settings.readers);
    this.checks = Map.copyOf(settings.checks);
    this.types = Map.copyOf(settings.types);
    this.only = Set.copyOf(settings.only);
    this.queue = settings.queue;
    this.maxAttempts = settings.maxAttempts;
    this.unique = settings.unique;
    this.plan = settings.plan;
  }

  /**
   * Names the source of an import.
   *
   * @param source the queue from which jobs are moved
   * @return an import without a target, which {@link From#into} names
   */
  public static From from(Source source) {
    return queue -> new Builder(source, queue);
  }

  /** An import whose source is set and whose target is not. */
  @FunctionalInterface
  public interface From {

    /**
     * {@return a builder for an import into a queue}
     *
     * @param queue the target, whose tables are in the database of the source. Its codec checks
     *     payloads that have a {@linkplain Builder#type type}
     */
    Builder into(JobQueue queue);
  }

  /**
   * Reads the source and reports what {@link #run} would do. Changes nothing. It does not detect
   * problems that only the database reports, such as a schedule's name or a key that is already in
   * use.
   *
   * @param dataSource the database of both queues
   * @return how many jobs and schedules would be moved, with samples, and which rows would stay
   * @throws SQLException if the source cannot be read
   * @throws IllegalStateException if the tables of the source do not exist, or have other columns,
   *     or if the {@linkplain Builder#plan plan} no longer fits the source
   */
  public ImportReport plan(DataSource dataSource) throws SQLException {
    ReportBuilder report = new ReportBuilder();
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      boolean readOnly = connection.isReadOnly();
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      try {
        each(connection, report, rows -> rows.forEach(report::moved));
      } finally {
        if (!connection.isClosed()) {
          connection.rollback();
          connection.setAutoCommit(autoCommit);
          connection.setReadOnly(readOnly);
        }
      }
    }
    return report.report();
  }

  /**
   * Moves the jobs, and reports which were moved and which were not. If it fails, what it has moved
   * stays moved, and the next call continues.
   *
   * @param dataSource the database of both queues
   * @return how many jobs and schedules this call has moved, with samples, and which rows stay
   * @throws SQLException if the database is unavailable or refuses the access
   * @throws dev.skipjack.api.StoreException if that happens while a schedule is added
   * @throws IllegalStateException if the tables of the source do not exist, or have other columns,
   *     if the {@linkplain Builder#plan plan} no longer fits the source, or if the table {@code
   *     job_imports} does not exist and the user may not create it
   */
  public ImportReport run(DataSource dataSource) throws SQLException {
    ReportBuilder report = new ReportBuilder();
    writing(
        dataSource,
        connection -> {
          source.check(connection);
          copies().create(connection);
          Mover mover = new Mover(source, source.identity(connection), target, copies());
          each(connection, report, rows -> move(mover, connection, rows, report));
        });
    return report.report();
  }

  private static void move(
      Mover mover, Connection connection, List<NewRow> rows, ReportBuilder report)
      throws SQLException {
    for (NewRow row : rows) {
      Recurrence recurrence = row.row().recurrence();
      if (recurrence != null) {
        mover.moveSchedule(connection, row, recurrence, report);
      }
    }
    mover.move(
        connection, rows.stream().filter(row -> row.row().recurrence() == null).toList(), report);
  }

  /**
   * Returns imported jobs that have not started, and schedules that have not fired, to the source,
   * if nothing has changed them since the import. Their rows are in the source again as they were,
   * even if they are overdue now, and the jobs and schedules are deleted. A job or schedule also
   * stays if the source has another row with its key. Only the settings of the source and the names
   * matter. If it fails, what it has returned stays returned, and the next call continues.
   *
   * @param dataSource the database of both queues
   * @return what this call has returned, and what stays here
   * @throws SQLException if the database is unavailable or refuses the access
   * @throws IllegalStateException if the tables of the source do not exist, or have other columns
   */
  public ImportReport undo(DataSource dataSource) throws SQLException {
    ReportBuilder report = new ReportBuilder();
    writing(
        dataSource,
        connection -> {
          source.check(connection);
          if (copies().exist(connection)) {
            new Returner(source, source.identity(connection), copies())
                .run(connection, only, report);
          }
        });
    return report.report();
  }

  /**
   * Compares the rows that were imported from the source with their jobs and schedules. Changes
   * nothing.
   *
   * @param dataSource the database of both queues
   * @return the number of jobs by kind and due day on both sides, and the next time of each
   *     schedule. Rows that were returned to the source are not counted
   * @throws SQLException if the database is unavailable or refuses the access
   * @throws IllegalStateException if the tables of the source do not exist, or have other columns
   */
  public ImportCheck verify(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      try {
        source.check(connection);
        return new Verifier(source, source.identity(connection), copies()).check(connection, only);
      } finally {
        if (!connection.isClosed() && !connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
  }

  private Copies copies() {
    return new Copies(target);
  }

  /** Uses a connection in which each statement is a transaction of its own. */
  @FunctionalInterface
  private interface Work {
    void run(Connection connection) throws SQLException;
  }

  private static void writing(DataSource dataSource, Work work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(true);
      try {
        work.run(connection);
      } finally {
        if (!connection.isClosed()) {
          if (!connection.getAutoCommit()) {
            connection.rollback();
          }
          connection.setAutoCommit(autoCommit);
        }
      }
    }
  }

  /** Receives the rows of a page that can be moved. */
  @FunctionalInterface
  private interface Batch {
    void accept(List<NewRow> rows) throws SQLException;
  }

  private void each(Connection connection, ReportBuilder report, Batch batch) throws SQLException {
    source.check(connection);
    // Includes names whose rows have all been imported, so that no other name gets their kinds.
    Set<String> all = new TreeSet<>(source.names(connection));
    all.addAll(copies().names(connection, source.identity(connection)));
    Map<String, Kinds.Mapped> mapped = Kinds.of(List.copyOf(all), source::shortName, kinds);
    if (!only.isEmpty()) {
      mapped.keySet().retainAll(only);
    }
    List<String> names = List.copyOf(mapped.keySet());
    PlanHash hash = hash(connection, mapped);
    if (plan != null) {
      hash.require(plan);
    }
    report.plan(hash.text());
    SourceRow last = null;
    do {
      List<SourceRow> page = source.page(connection, names, last, BATCH);
      last = page.isEmpty() ? null : page.get(page.size() - 1);
      List<NewRow> rows = new ArrayList<>();
      for (SourceRow row : page) {
        if (!only.isEmpty() && !only.contains(row.name())) {
          continue;
        }
        try {
          rows.add(job(row, mapped.get(row.name())));
        } catch (JsonText.Rejected stays) {
          report.stays(row, String.valueOf(stays.getMessage()));
        }
      }
      batch.accept(rows);
    } while (last != null);
  }

  private PlanHash hash(Connection connection, Map<String, Kinds.Mapped> mapped)
      throws SQLException {
    List<String> shape = new ArrayList<>(List.of(source.name(), "" + unique));
    shape.add(String.valueOf(queue));
    shape.add(String.valueOf(maxAttempts));
    shape.addAll(source.shape(connection));
    PlanHash hash = new PlanHash(shape);
    mapped.forEach(
        (name, kind) -> {
          JobType<?> type = types.get(name);
          hash.add(
              name,
              List.of(
                  kind.kind(),
                  kind.reason(),
                  type == null
                      ? ""
                      : "%s %s %s".formatted(type.queue(), type.priority(), type.maxAttempts())));
        });
    return hash;
  }

  private NewRow job(SourceRow row, Kinds.@Nullable Mapped kind) throws JsonText.Rejected {
    if (row.stays() != null) {
      throw new JsonText.Rejected(row.stays());
    }
    if (kind == null || !kind.isKind()) {
      throw new JsonText.Rejected(kind == null ? RowTransaction.CHANGED : kind.reason());
    }
    Recurrence recurrence = row.recurrence();
    if (recurrence != null) {
      requireName(recurrence.name());
    }
    String payload = payload(row);
    return new NewRow(
        row,
        kind.kind(),
        queue(row),
        payload,
        priority(row),
        attempts(row),
        unique ? row.uniqueKey() : null);
  }

  private static void requireName(String schedule) throws JsonText.Rejected {
    try {
      Names.requireSchedule(schedule);
    } catch (IllegalArgumentException refused) {
      throw new JsonText.Rejected("its name cannot be that of a schedule: declare a schedule");
    }
  }

  private String payload(SourceRow row) throws JsonText.Rejected {
    byte[] data = row.data();
    PayloadReader reader = readers.get(row.name());
    String json =
        reader != null
            ? JsonText.require(read(reader, data == null ? new byte[0] : data))
            : data == null || data.length == 0 ? "{}" : JsonText.of(data);
    PayloadReader check = checks.get(row.name());
    if (check != null) {
      read(check, json.getBytes(StandardCharsets.UTF_8));
    }
    return json;
  }

  /** Calls a reader, which is code of the application and may throw anything. */
  private static String read(PayloadReader reader, byte[] data) throws JsonText.Rejected {
    try {
      return Objects.requireNonNull(reader.read(data), "the reader returned null");
    } catch (Throwable failed) {
      if (failed instanceof VirtualMachineError fatal && !(failed instanceof StackOverflowError)) {
        throw fatal;
      }
      throw new JsonText.Rejected(
          "data cannot be read: " + String.valueOf(failed).lines().findFirst().orElse(""));
    }
  }

  private String queue(SourceRow row) {
    if (queue != null) {
      return queue;
    }
    String name = row.queue();
    if (name != null) {
      return Kinds.ofRule(name);
    }
    JobType<?> type = types.get(row.name());
    return type == null ? "default" : type.queue();
  }

  private @Nullable Integer priority(SourceRow row) {
    Integer priority = row.priority();
    JobType<?> type = types.get(row.name());
    if (priority == null) {
      return type == null || type.priority().isEmpty() ? null : type.priority().getAsInt();
    }
    return Math.max(-HIGHEST_PRIORITY, Math.min(HIGHEST_PRIORITY, priority));
  }

  private @Nullable Integer attempts(SourceRow row) {
    Integer most = maxAttempts == null ? row.maxAttempts() : maxAttempts;
    JobType<?> type = types.get(row.name());
    if (most == null && type != null && type.maxAttempts().isPresent()) {
      most = type.maxAttempts().getAsInt();
    }
    if (most == null && row.used() == 0) {
      return null;
    }
    return Math.max(1, (most == null ? JobType.DEFAULT_MAX_ATTEMPTS : most) - row.used());
  }

  /**
   * Settings of an import. Not safe for several threads.
   *
   * <p>The name of a job is that of the task in db-scheduler, the full name of the job class in
   * Quartz, the signature in JobRunr, and the kind in River. {@link Importer#plan} reports the
   * names of all rows. A setting for a name that does not occur in the source has no effect. A
   * later setting for the same name replaces an earlier one.
   */
  public static final class Builder {

    private final Source source;
    private final JobQueue target;
    private final Map<String, String> kinds = new HashMap<>();
    private final Map<String, PayloadReader> readers = new HashMap<>();
    private final Map<String, PayloadReader> checks = new HashMap<>();
    private final Map<String, JobType<?>> types = new HashMap<>();
    private Set<String> only = Set.of();
    private @Nullable String queue;
    private @Nullable Integer maxAttempts;
    private boolean unique;
    private @Nullable String plan;

    private Builder(Source source, JobQueue target) {
      this.source = source;
      this.target = target;
    }

    /**
     * Sets the kind of the jobs with a name. Default: the name in lower case, in which {@code -}
     * separates the words of camel case and replaces characters that a kind cannot contain. In
     * Quartz and JobRunr, packages and the suffixes {@code Job} and {@code Request} of classes are
     * left out.
     *
     * @param name the name in the source
     * @param kind the kind, 1 to 63 of the characters {@code a-z 0-9 _ . -}. Several names may have
     *     the same kind
     * @return this builder
     * @throws IllegalArgumentException if {@code kind} is not a valid name of a kind
     */
    public Builder kind(String name, String kind) {
      kinds.put(name, Names.requireKind(kind));
      return this;
    }

    /**
     * Sets the type of the jobs with a name: its kind, the class as which their payloads must
     * decode, and its queue, priority and maximum number of attempts, unless the source or this
     * import sets others. A row whose payload does not decode stays in its source. Ordering keys
     * are not set.
     *
     * @param name the name in the source
     * @param type the type with which workers run these jobs
     * @return this builder
     * @throws IllegalArgumentException if the version of the type's payloads is not 1
     */
    public Builder type(String name, JobType<?> type) {
      if (type.payloadVersion() != 1) {
        throw new IllegalArgumentException(
            "Payloads are imported as version 1, but type '%s' has version %d. Set only its kind."
                .formatted(type.kind(), type.payloadVersion()));
      }
      types.put(name, type);
      PayloadCodec codec = target.codec();
      checks.put(
          name,
          json ->
              String.valueOf(
                  codec.decode(new String(json, StandardCharsets.UTF_8), type.payloadClass())));
      return kind(name, type.kind());
    }

    /**
     * Sets how the data of the jobs with a name is read. Default: it is JSON in UTF-8, and an empty
     * object if there is none.
     *
     * @param name the name in the source
     * @param reader converts the data of one job, both for a plan and for the import. It is called
     *     in the thread of {@link Importer#plan} or {@link Importer#run}
     * @return this builder
     */
    public Builder payload(String name, PayloadReader reader) {
      readers.put(name, reader);
      return this;
    }

    /**
     * Imports only the jobs with these names. Default: all.
     *
     * @param names names in the source, none of them null; empty for all
     * @return this builder
     */
    public Builder only(Collection<String> names) {
      this.only = Set.copyOf(names);
      return this;
    }

    /**
     * Sets the queue of the jobs. Default: the queue of the same name if the source has queues,
     * else that of the type, else {@code default}.
     *
     * @param queue the queue, 1 to 63 of the characters {@code a-z 0-9 _ . -}
     * @return this builder
     * @throws IllegalArgumentException if {@code queue} is not a valid name of a queue
     */
    public Builder queue(String queue) {
      this.queue = Names.requireQueue(queue);
      return this;
    }

    /**
     * Sets the maximum number of attempts, from which failed attempts are subtracted. Default: that
     * of the source if it has one, else that of the type, else that of the queue or, for a job with
     * failed attempts, {@value JobType#DEFAULT_MAX_ATTEMPTS}.
     *
     * @param maxAttempts the maximum number of attempts, from 1, including those that have failed
     *     in the source
     * @return this builder
     * @throws IllegalArgumentException if {@code maxAttempts} is not in 1..1,000,000
     */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = Limits.maxAttempts(maxAttempts);
      return this;
    }

    /**
     * Sets the unique key of each job, within its kind, to the instance id that the source keeps
     * unique. A row stays in its source if another live job has its key. Default: no unique key.
     *
     * @return this builder
     * @throws IllegalArgumentException if the source keeps no ids unique, such as River or JobRunr
     */
    public Builder unique() {
      if (!source.hasUniqueIds()) {
        throw new IllegalArgumentException(
            "Source '%s' keeps no ids unique. Leave out the option for unique keys."
                .formatted(source.name()));
      }
      this.unique = true;
      return this;
    }

    /**
     * Sets the plan that an operator has read. {@link Importer#plan} and {@link Importer#run} then
     * fail, and move nothing, if the tables of the source, the settings or the kind of a name
     * differ from those of the plan, or if the source has another name. The rows may differ.
     * Default: no plan is required.
     *
     * @param plan what {@link ImportReport#plan} returned. It does not protect against a user who
     *     adds a row with a name of the plan on purpose
     * @return this builder
     * @throws IllegalArgumentException if {@code plan} is not the hash of a plan
     */
    public Builder plan(String plan) {
      this.plan = PlanHash.requireForm(plan);
      return this;
    }

    /** {@return an import with these settings} Later changes of this builder do not affect it. */
    public Importer build() {
      return new Importer(this);
    }
  }
}
