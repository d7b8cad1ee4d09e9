package dev.skipjack.store.jooq.internal;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.model.tables.records.JobQueuesRecord;
import dev.skipjack.model.tables.records.JobsRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.InsertOnDuplicateStep;
import org.jooq.JSONB;
import org.jooq.OrderField;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Defines the insert of new jobs, for every way of enqueueing.
 *
 * <p>{@link #incoming} draws the ids before anything is inserted, because RETURNING cannot include
 * the position of a row in the input. Statements read the ids from this CTE in the order of the
 * input.
 */
public final class JobInsert {

  /** The position of a job in the input, from 1. */
  public static final Field<Long> POSITION = given("position", Long.class);

  /** The id that was drawn for the job. */
  public static final Field<Long> ID = given("id", Long.class);

  private static final String PAYLOAD = "payload";

  private static final Set<String> UNIQUENESS =
      Set.of("unique_key", "unique_label", "unique_until");

  /** The unique key of the job, if it requests one. */
  public static final Field<String> UNIQUE_KEY = given("unique_key", String.class);

  /**
   * The jobs that an insert accepts. An insert of a thousand jobs without the columns of ordering
   * keys and groups costs the server about 3 % less, and with the payloads as the only array about
   * 25 % less (docs/adr/0054).
   */
  public enum Accepted {
    /** Jobs without a unique key, an ordering key or a group that differ only in their payloads. */
    UNIFORM,
    /** Jobs without an ordering key, a group or an owner. */
    UNORDERED,
    /** Jobs with and without an ordering key or a group, but without an owner. */
    ALL,
    /** Jobs with an owner that otherwise are like {@link #UNIFORM}. */
    UNIFORM_OWNED,
    /** Jobs with an owner that otherwise are like {@link #ALL}. */
    OWNED;

    /** Returns the narrowest set that includes these jobs. */
    public static Accepted of(List<NewJob> jobs) {
      if (jobs.stream().anyMatch(job -> job.owner() != null)) {
        return areUniform(jobs, UNIFORM_OWNED_COLUMNS) ? UNIFORM_OWNED : OWNED;
      }
      if (areUniform(jobs, UNIFORM_COLUMNS)) {
        return UNIFORM;
      }
      return jobs.stream().allMatch(Accepted::isUnordered) ? UNORDERED : ALL;
    }

    /**
     * Returns the narrowest of {@link #UNORDERED}, {@link #ALL} and {@link #OWNED} that includes
     * this job.
     */
    public static Accepted of(NewJob job) {
      if (job.owner() != null) {
        return OWNED;
      }
      return isUnordered(job) ? UNORDERED : ALL;
    }

    private static boolean isUnordered(NewJob job) {
      return job.orderingKey() == null && job.group() == null;
    }

    private boolean isUniform() {
      return this == UNIFORM || this == UNIFORM_OWNED;
    }
  }

  /** The source from which an insert reads the values of a job and the settings of its queue. */
  private interface Given {

    <T> Field<T> value(String name, DataType<T> type);

    default Field<String> text(String name) {
      return value(name, SQLDataType.CLOB);
    }

    default Field<JSONB> headers() {
      return field("cast({0} as pg_catalog.jsonb)", JOBS.HEADERS.getDataType(), text("headers"));
    }

    <T> Field<T> setting(TableField<JobQueuesRecord, T> column);
  }

  /** Reads columns of {@code incoming}, joined with {@code job_queues}. */
  private static final Given COLUMNS_OF_INCOMING =
      new Given() {
        @Override
        public <T> Field<T> value(String name, DataType<T> type) {
          return given(name, type);
        }

        @Override
        public <T> Field<T> setting(TableField<JobQueuesRecord, T> column) {
          return column;
        }
      };

  /** Reads parameters, and a setting of the queue only if the job has no value for it. */
  private static final Given PARAMETERS = new Parameters();

  /** Reads the payload from {@code incoming}, and parameters that all jobs have in common. */
  private static final Given PAYLOADS_AND_PARAMETERS = new PayloadsAndParameters();

  /**
   * Reads values like {@link #PAYLOADS_AND_PARAMETERS}. All of these jobs have headers, which a
   * subquery converts and checks once, and not for each row.
   */
  private static final Given PAYLOADS_AND_PARAMETERS_OF_OWNED =
      new PayloadsAndParameters() {
        @Override
        public Field<JSONB> headers() {
          return field(
              "(select cast(cast({0} as pg_catalog.jsonb) as {1}.job_headers))",
              JOBS.HEADERS.getDataType(), text("headers"), JOBS.getSchema());
        }
      };

  private static class Parameters implements Given {

    @Override
    public <T> Field<T> value(String name, DataType<T> type) {
      Param<String> text = param(name, String.class);
      return type.isString() ? field("{0}", type, text) : cast(text(type, name), type);
    }

    private Param<?> text(DataType<?> type, String name) {
      return type.isDateTime() ? param(name, String.class) : param(name, type);
    }

    @Override
    public <T> Field<T> setting(TableField<JobQueuesRecord, T> column) {
      return field(
          select(column)
              .from(JOB_QUEUES)
              .where("{0} OPERATOR(pg_catalog.=) {1}", JOB_QUEUES.QUEUE, text("queue")));
    }
  }

  private static class PayloadsAndParameters extends Parameters {

    @Override
    public <T> Field<T> value(String name, DataType<T> type) {
      return name.equals(PAYLOAD) ? given(name, type) : super.value(name, type);
    }

    @Override
    public <T> Field<T> setting(TableField<JobQueuesRecord, T> column) {
      return column;
    }
  }

  /**
   * Returns the values of a new job with their columns. All parameters and arguments of the insert
   * come from this list and {@link #ordering}, in this order. Functions, operators and types are
   * qualified, because {@link #insertAlone} runs with any {@code search_path}.
   */
  private static List<JobColumn> unordered(Given given) {
    return List.of(
        JobColumn.text("queue", "queues", NewJob::queue).into(JOBS.QUEUE, given.text("queue")),
        JobColumn.text("kind", "kinds", NewJob::kind).into(JOBS.KIND, given.text("kind")),
        JobColumn.text("payload", "payloads", NewJob::payload)
            .into(
                JOBS.PAYLOAD,
                field(
                    "cast({0} as pg_catalog.jsonb)",
                    JOBS.PAYLOAD.getDataType(), given.text("payload"))),
        JobColumn.integer("payload_version", "payload_versions", NewJob::payloadVersion)
            .into(JOBS.PAYLOAD_VERSION, given.value("payload_version", SQLDataType.INTEGER)),
        JobColumn.smallint("priority", "priorities", NewJob::priority)
            .into(JOBS.PRIORITY, priority(given, given.setting(JOB_QUEUES.DEFAULT_PRIORITY))),
        JobColumn.integer("max_attempts", "max_attempts", NewJob::maxAttempts)
            .into(
                JOBS.MAX_ATTEMPTS,
                maxAttempts(given, given.setting(JOB_QUEUES.DEFAULT_MAX_ATTEMPTS))),
        JobColumn.timestamp("scheduled_at", "scheduled_at", NewJob::scheduledAt)
            .into(JOBS.SCHEDULED_AT, due(given)),
        JobColumn.bigint("delay", "delays", job -> DatabaseClock.micros(job.delay())),
        JobColumn.text("tags", "tags", JobInsert::tags)
            .into(
                JOBS.TAGS,
                field(
                    "cast({0} as pg_catalog.text[])", JOBS.TAGS.getDataType(), given.text("tags"))),
        JobColumn.text("unique_key", "unique_keys", unique(UniqueKey::key))
            .into(JOBS.UNIQUE_KEY, given.text("unique_key")),
        JobColumn.text("unique_label", "unique_labels", unique(UniqueKey::label))
            .into(JOBS.UNIQUE_LABEL, given.text("unique_label")),
        JobColumn.text("unique_until", "unique_untils", unique(key -> key.until().literal()))
            .into(JOBS.UNIQUE_UNTIL, given.value("unique_until", JOBS.UNIQUE_UNTIL.getDataType())),
        JobColumn.text("headers", "headers", job -> Headers.text(job.headers()))
            .into(JOBS.HEADERS, given.headers()));
  }

  /**
   * Returns the further values of a job with an ordering key or a group, like {@link #unordered}.
   */
  private static List<JobColumn> ordering(Given given) {
    return List.of(
        JobColumn.text("ordering_key", "ordering_keys", NewJob::orderingKey)
            .into(JOBS.ORDERING_KEY, given.text("ordering_key")),
        JobColumn.text("ordering_policy", "ordering_policies", JobInsert::policy)
            .into(
                JOBS.ORDERING_POLICY,
                given.value("ordering_policy", JOBS.ORDERING_POLICY.getDataType())),
        JobColumn.text("group", "groups", NewJob::group).into(JOBS.GROUP_KEY, given.text("group")));
  }

  /** Returns the owner of a job, which is inserted only by statements for jobs with an owner. */
  private static JobColumn owner(Given given) {
    return JobColumn.bigint("owner", "owners", NewJob::owner)
        .into(JOBS.OWNER_ID, given.value("owner", SQLDataType.BIGINT));
  }

  private static List<JobColumn> columns(Accepted accepted, Given given) {
    Stream<JobColumn> unordered = unordered(given).stream();
    Stream<JobColumn> columns =
        switch (accepted) {
          case UNIFORM -> unordered.filter(JobInsert::isOfUniformJob);
          case UNORDERED -> unordered;
          case ALL -> Stream.concat(unordered, ordering(given).stream());
          case UNIFORM_OWNED ->
              Stream.concat(unordered.filter(JobInsert::isOfUniformJob), Stream.of(owner(given)));
          case OWNED ->
              Stream.of(unordered, ordering(given).stream(), Stream.of(owner(given)))
                  .flatMap(Function.identity());
        };
    return columns.toList();
  }

  private static List<JobColumn> columns(Accepted accepted) {
    return switch (accepted) {
      case UNIFORM -> UNIFORM_COLUMNS;
      case UNORDERED -> UNORDERED_COLUMNS;
      case ALL -> COLUMNS;
      case UNIFORM_OWNED -> UNIFORM_OWNED_COLUMNS;
      case OWNED -> OWNED_COLUMNS;
    };
  }

  private static boolean isOfUniformJob(JobColumn column) {
    return !UNIQUENESS.contains(column.name());
  }

  /** Returns whether the jobs have no keys and differ at most in their payloads. */
  private static boolean areUniform(List<NewJob> jobs, List<JobColumn> columns) {
    return jobs.stream().allMatch(job -> job.uniqueKey() == null && Accepted.isUnordered(job))
        && columns.stream()
            .allMatch(column -> column.name().equals(PAYLOAD) || column.isEqualIn(jobs));
  }

  private static @Nullable String policy(NewJob job) {
    OrderingPolicy policy = job.orderingPolicy();
    return policy == null ? null : policy.literal();
  }

  /**
   * Returns the status of a new job. A job with an ordering key waits until it is promoted, even if
   * no other job has the key.
   */
  private static Field<JobStatus> status(Given given) {
    return when(given.text("ordering_key").isNull(), inline(JobStatus.PENDING, JOBS.STATUS))
        .otherwise(inline(JobStatus.WAITING, JOBS.STATUS));
  }

  private static final List<JobColumn> UNIFORM_COLUMNS =
      columns(Accepted.UNIFORM, PAYLOADS_AND_PARAMETERS);

  private static final List<JobColumn> UNORDERED_COLUMNS =
      columns(Accepted.UNORDERED, COLUMNS_OF_INCOMING);

  private static final List<JobColumn> COLUMNS = columns(Accepted.ALL, COLUMNS_OF_INCOMING);

  private static final List<JobColumn> UNIFORM_OWNED_COLUMNS =
      columns(Accepted.UNIFORM_OWNED, PAYLOADS_AND_PARAMETERS_OF_OWNED);

  static final List<JobColumn> OWNED_COLUMNS = columns(Accepted.OWNED, COLUMNS_OF_INCOMING);

  private JobInsert() {}

  /**
   * Returns the given jobs, one per row. A statement that needs further values for each job adds
   * columns and then the position, and builds its own {@code incoming}.
   */
  public static ArrayRows given() {
    return given(COLUMNS);
  }

  private static ArrayRows given(List<JobColumn> columns) {
    ArrayRows given = ArrayRows.named("given");
    columns.forEach(column -> given.column(column.name(), column.array()));
    return given;
  }

  /**
   * Returns the given jobs with the ids that were drawn for them, {@code incoming(id, position,
   * ...)}. Of uniform jobs it contains only the payloads.
   */
  public static CommonTableExpression<?> incoming(Accepted accepted) {
    List<JobColumn> arrays =
        columns(accepted).stream().filter(column -> isArray(accepted, column)).toList();
    Table<?> given = given(arrays).withPosition().table();
    return name("incoming")
        .asMaterialized(select(NextId.of(JOBS_ID_SEQ).as(JOBS.ID), given.asterisk()).from(given));
  }

  private static boolean isArray(Accepted accepted, JobColumn column) {
    return !accepted.isUniform() || column.name().equals(PAYLOAD);
  }

  /**
   * Returns the insert of all rows of {@link #incoming}, in the order of the input. See {@link
   * #insert(Field)}.
   */
  public static InsertOnDuplicateStep<JobsRecord> insert(Accepted accepted) {
    return insert(ID, accepted, table(name("incoming")), noCondition(), POSITION);
  }

  /**
   * Returns {@code INSERT INTO jobs SELECT ... FROM incoming LEFT JOIN job_queues}. A job without a
   * priority or a maximum number of attempts gets the value of its queue. {@code job_queues} has
   * few rows, so an old plan in a caller's session is still fast.
   *
   * @param order the order in which the rows are inserted; rows of unique jobs must be in key
   *     order, or two calls may wait for each other
   */
  public static InsertOnDuplicateStep<JobsRecord> insert(Field<?> order) {
    return insert(order, noCondition());
  }

  /**
   * Returns an insert like {@link #insert(Field)}, for the rows of {@code incoming} that match
   * {@code which}.
   */
  public static InsertOnDuplicateStep<JobsRecord> insert(Field<?> order, Condition which) {
    return insert(ID, Accepted.ALL, table(name("incoming")), which, order);
  }

  /**
   * Returns an insert of one job that takes effect if {@code when} is true. Its values are separate
   * parameters, because arrays of one element would double the cost of the insert.
   */
  public static InsertOnDuplicateStep<JobsRecord> insertOne(Condition when) {
    return insert(NextId.of(JOBS_ID_SEQ), Accepted.ALL, one(), when);
  }

  /**
   * Returns {@code INSERT INTO jobs VALUES ...} for one job. Every function, operator and type in
   * it is qualified, so it needs no {@code search_path} or other settings (docs/adr/0007).
   */
  public static InsertOnDuplicateStep<JobsRecord> insertAlone(Accepted accepted) {
    Map<Field<?>, Field<?>> values = values(NextId.of(JOBS_ID_SEQ), accepted, PARAMETERS);
    return insertInto(JOBS, values.keySet()).values(values.values());
  }

  /**
   * Returns {@code INSERT INTO jobs SELECT ... FROM source} for one job, with further columns. As
   * for {@link #insertAlone}, everything in it is qualified if {@code more} and {@code source} are.
   *
   * @param more values of further columns
   * @param source a table with one row, which {@code more} may read
   */
  public static InsertOnDuplicateStep<JobsRecord> insertAlone(
      Map<Field<?>, Field<?>> more, Table<?> source) {
    Map<Field<?>, Field<?>> values = values(NextId.of(JOBS_ID_SEQ), Accepted.UNORDERED, PARAMETERS);
    values.putAll(more);
    return insertInto(JOBS, values.keySet()).select(select(values.values()).from(source));
  }

  /** Returns the queue of the job that {@link #insertAlone} inserts. */
  public static Field<String> queueAlone() {
    return PARAMETERS.text("queue");
  }

  /**
   * Returns the priority of a job that {@link #insertAlone} inserts. The statement must join the
   * queue's row.
   */
  public static Field<Short> priorityBesideQueue() {
    return priority(PARAMETERS, JOB_QUEUES.DEFAULT_PRIORITY);
  }

  /** Returns the maximum number of attempts of a job, like {@link #priorityBesideQueue}. */
  public static Field<Integer> maxAttemptsBesideQueue() {
    return maxAttempts(PARAMETERS, JOB_QUEUES.DEFAULT_MAX_ATTEMPTS);
  }

  private static Field<Short> priority(Given given, Field<Short> ofQueue) {
    return coalesce(given.value("priority", SQLDataType.SMALLINT), ofQueue, inline((short) 0));
  }

  private static Field<Integer> maxAttempts(Given given, Field<Integer> ofQueue) {
    return coalesce(
        given.value("max_attempts", SQLDataType.INTEGER),
        ofQueue,
        inline(JobType.DEFAULT_MAX_ATTEMPTS));
  }

  private static Table<?> one() {
    return select(COLUMNS.stream().map(JobColumn::single).toList()).asTable("incoming");
  }

  private static InsertOnDuplicateStep<JobsRecord> insert(
      Field<Long> id,
      Accepted accepted,
      Table<?> incoming,
      Condition which,
      OrderField<?>... order) {
    Given given =
        switch (accepted) {
          case UNIFORM -> PAYLOADS_AND_PARAMETERS;
          case UNIFORM_OWNED -> PAYLOADS_AND_PARAMETERS_OF_OWNED;
          default -> COLUMNS_OF_INCOMING;
        };
    Map<Field<?>, Field<?>> values = values(id, accepted, given);
    return insertInto(JOBS, values.keySet())
        .select(
            select(values.values())
                .from(incoming)
                .leftJoin(JOB_QUEUES)
                .on(JOB_QUEUES.QUEUE.eq(given.text("queue")))
                .where(which)
                .orderBy(order));
  }

  private static Map<Field<?>, Field<?>> values(Field<Long> id, Accepted accepted, Given given) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    values.put(JOBS.ID, id);
    columns(accepted, given).forEach(column -> column.addTo(values));
    if (accepted == Accepted.ALL || accepted == Accepted.OWNED) {
      values.put(JOBS.STATUS, status(given));
    }
    return values;
  }

  /** Returns the values of {@code jobs} for the parameters of {@link #given}. */
  public static Arguments arguments(List<NewJob> jobs) {
    return arguments(Accepted.ALL, jobs);
  }

  /** Returns the values of {@code jobs} for the parameters of {@link #incoming}. */
  public static Arguments arguments(Accepted accepted, List<NewJob> jobs) {
    Arguments arguments = new Arguments();
    columns(accepted)
        .forEach(
            column -> {
              if (isArray(accepted, column)) {
                column.bindAll().accept(arguments, jobs);
              } else {
                column.bindOne().accept(arguments, jobs.get(0));
              }
            });
    return arguments;
  }

  /** Returns the values of {@code job} for the parameters of {@link #insertOne}. */
  public static Arguments argumentsOfOne(NewJob job) {
    return argumentsOfOne(Accepted.ALL, job);
  }

  /** Returns the values of {@code job} for the parameters of {@link #insertAlone}. */
  public static Arguments argumentsOfOne(Accepted accepted, NewJob job) {
    Arguments arguments = new Arguments();
    columns(accepted).forEach(column -> column.bindOne().accept(arguments, job));
    return arguments;
  }

  /**
   * Returns the due time of a job. A time in the past is replaced by the current time. The delay is
   * then added.
   */
  private static Field<Instant> due(Given given) {
    return field(
        "greatest(coalesce({0}, {1}), {1}) OPERATOR(pg_catalog.+) (cast({2} as double precision)"
            + " OPERATOR(pg_catalog.*) interval '1 microsecond')",
        SQLDataType.INSTANT,
        given.value("scheduled_at", SQLDataType.INSTANT),
        field("pg_catalog.clock_timestamp()"),
        given.value("delay", SQLDataType.BIGINT));
  }

  /**
   * Returns the tags as the text form of an array. PostgreSQL has no arrays of arrays with
   * different lengths, so the tags of each job are passed as one string.
   */
  private static @Nullable String tags(NewJob job) {
    return job.tags().isEmpty() ? null : Texts.arrayOf(job.tags());
  }

  private static Function<NewJob, @Nullable String> unique(Function<UniqueKey, String> part) {
    return job -> {
      UniqueKey key = job.uniqueKey();
      return key == null ? null : part.apply(key);
    };
  }

  private static <T> Field<T> given(String column, Class<T> type) {
    return field(name("incoming", column), type);
  }

  private static <T> Field<T> given(String column, DataType<T> type) {
    return field(name("incoming", column), type);
  }
}
