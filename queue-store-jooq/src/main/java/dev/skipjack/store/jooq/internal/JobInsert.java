package dev.skipjack.store.jooq.internal;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.model.tables.records.JobsRecord;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.NextId;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.InsertOnDuplicateStep;
import org.jooq.OrderField;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The insert of new jobs, written once for every way of enqueueing.
 *
 * <p>{@link #INCOMING} draws the ids before anything is inserted, because RETURNING cannot carry
 * the position of a row in the input; whoever needs ids in input order joins them back from it.
 */
public final class JobInsert {

  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<String[]> PAYLOADS = Texts.array("payloads");
  private static final Param<Integer[]> PAYLOAD_VERSIONS =
      param("payload_versions", Integer[].class);
  private static final Param<Short[]> PRIORITIES = param("priorities", Short[].class);
  private static final Param<Integer[]> MAX_ATTEMPTS = param("max_attempts", Integer[].class);
  private static final Param<Instant[]> SCHEDULED_AT =
      param("scheduled_at", SQLDataType.INSTANT.getArrayDataType());
  private static final Param<Long[]> DELAYS = param("delays", Long[].class);
  private static final Param<String[]> UNIQUE_KEYS = Texts.array("unique_keys");
  private static final Param<String[]> UNIQUE_LABELS = Texts.array("unique_labels");
  private static final Param<String[]> UNIQUE_UNTILS = Texts.array("unique_untils");

  private static final Param<String[]> TRACE_PARENTS = Texts.array("trace_parents");

  private static final Param<String[]> TAGS = Texts.array("tags");

  /** The given jobs with their ids drawn: {@code incoming(id, position, ...)}. */
  public static final CommonTableExpression<?> INCOMING = incoming();

  /** Where a job stood in the input, from 1. */
  public static final Field<Long> POSITION = field("position", Long.class);

  /** The id drawn for it. */
  public static final Field<Long> ID = field("id", Long.class);

  /** The unique key it asks for. */
  public static final Field<String> UNIQUE_KEY = field("unique_key", String.class);

  private JobInsert() {}

  /**
   * The given jobs, one a row. A statement that needs to know more of each adds columns and then
   * the position, and makes an {@code incoming} of its own.
   */
  public static ArrayRows given() {
    return ArrayRows.named("given")
        .column("queue", QUEUES)
        .column("kind", KINDS)
        .column("payload", PAYLOADS)
        .column("payload_version", PAYLOAD_VERSIONS)
        .column("priority", PRIORITIES)
        .column("max_attempts", MAX_ATTEMPTS)
        .column("scheduled_at", SCHEDULED_AT)
        .column("delay", DELAYS)
        .column("tags", TAGS)
        .column("unique_key", UNIQUE_KEYS)
        .column("unique_label", UNIQUE_LABELS)
        .column("unique_until", UNIQUE_UNTILS)
        .column("traceparent", TRACE_PARENTS);
  }

  private static CommonTableExpression<?> incoming() {
    Table<?> given = given().withPosition().table();
    return name("incoming")
        .asMaterialized(select(NextId.of(JOBS_ID_SEQ).as(JOBS.ID), given.asterisk()).from(given));
  }

  /**
   * {@code INSERT INTO jobs SELECT ... FROM incoming LEFT JOIN job_queues}: a priority and attempts
   * that nobody gave are the queue's. That table has a row only for a queue that somebody has
   * changed, so a caller's plan that was made while it was smaller does no harm.
   *
   * @param order in which the rows are inserted; rows of unique jobs go in key order, or two calls
   *     may wait for each other
   */
  public static InsertOnDuplicateStep<JobsRecord> insert(Field<?> order) {
    return insert(order, noCondition());
  }

  /** As {@link #insert(Field)}, only those rows of {@code incoming}. */
  public static InsertOnDuplicateStep<JobsRecord> insert(Field<?> order, Condition which) {
    return insert(ID, table(name("incoming")), which, order);
  }

  /**
   * As {@link #insert(Field)} for one job, whose values are parameters of their own: as arrays of
   * one element they cost the server as much again as the insert.
   */
  public static InsertOnDuplicateStep<JobsRecord> insertOne() {
    return insertOne(noCondition());
  }

  /** As {@link #insertOne()}, only on that condition. */
  public static InsertOnDuplicateStep<JobsRecord> insertOne(Condition when) {
    return insert(NextId.of(JOBS_ID_SEQ), one(), when);
  }

  private static Table<?> one() {
    return select(
            Texts.param("queue").as("queue"),
            Texts.param("kind").as("kind"),
            Texts.param("payload").as("payload"),
            given("payload_version", SQLDataType.INTEGER),
            given("priority", SQLDataType.SMALLINT),
            given("max_attempts", SQLDataType.INTEGER),
            Texts.param("scheduled_at").cast(SQLDataType.INSTANT).as("scheduled_at"),
            given("delay", SQLDataType.BIGINT),
            Texts.param("tags").as("tags"),
            Texts.param("unique_key").as("unique_key"),
            Texts.param("unique_label").as("unique_label"),
            Texts.param("unique_until").as("unique_until"),
            Texts.param("traceparent").as("traceparent"))
        .asTable("incoming");
  }

  private static <T> Field<T> given(String name, org.jooq.DataType<T> type) {
    return cast(param(name, type), type).as(name);
  }

  private static InsertOnDuplicateStep<JobsRecord> insert(
      Field<Long> id, Table<?> incoming, Condition which, OrderField<?>... order) {
    Field<Instant> due =
        greatest(
            coalesce(field("scheduled_at", Instant.class), DatabaseClock.NOW), DatabaseClock.NOW);
    return insertInto(
            JOBS,
            JOBS.ID,
            JOBS.QUEUE,
            JOBS.KIND,
            JOBS.PAYLOAD,
            JOBS.PAYLOAD_VERSION,
            JOBS.PRIORITY,
            JOBS.MAX_ATTEMPTS,
            JOBS.SCHEDULED_AT,
            JOBS.TAGS,
            JOBS.UNIQUE_KEY,
            JOBS.UNIQUE_LABEL,
            JOBS.UNIQUE_UNTIL,
            JOBS.TRACEPARENT)
        .select(
            select(
                    id,
                    field("queue", String.class),
                    field("kind", String.class),
                    cast(field("payload", String.class), JOBS.PAYLOAD),
                    field("payload_version", Integer.class),
                    coalesce(
                        field("priority", Short.class),
                        JOB_QUEUES.DEFAULT_PRIORITY,
                        inline((short) 0)),
                    coalesce(
                        field("max_attempts", Integer.class),
                        JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
                        inline(JobType.DEFAULT_MAX_ATTEMPTS)),
                    DatabaseClock.plusMicros(due, field("delay", Long.class)),
                    cast(field("tags", String.class), JOBS.TAGS),
                    UNIQUE_KEY,
                    field("unique_label", String.class),
                    field("unique_until", JOBS.UNIQUE_UNTIL.getDataType()),
                    field("traceparent", String.class))
                .from(incoming)
                .leftJoin(JOB_QUEUES)
                .on(JOB_QUEUES.QUEUE.eq(field("queue", String.class)))
                .where(which)
                .orderBy(order));
  }

  /** The values of {@code jobs} for the parameters of {@link #INCOMING}. */
  public static Arguments arguments(List<NewJob> jobs) {
    return new Arguments()
        .texts("queues", jobs, NewJob::queue)
        .texts("kinds", jobs, NewJob::kind)
        .texts("payloads", jobs, NewJob::payload)
        .integers("payload_versions", jobs, NewJob::payloadVersion)
        .smallints("priorities", jobs, NewJob::priority)
        .integers("max_attempts", jobs, NewJob::maxAttempts)
        .timestamps("scheduled_at", jobs, JobInsert::scheduledAt)
        .bigints("delays", jobs, job -> DatabaseClock.micros(job.delay()))
        .texts("tags", jobs, JobInsert::tags)
        .texts("unique_keys", jobs, unique(UniqueKey::key))
        .texts("unique_labels", jobs, unique(UniqueKey::label))
        .texts("unique_untils", jobs, unique(key -> key.until().literal()))
        .texts("trace_parents", jobs, NewJob::traceparent);
  }

  /** The values of {@code job} for the parameters of {@link #insertOne}. */
  public static Arguments argumentsOfOne(NewJob job) {
    return new Arguments()
        .text("queue", job.queue())
        .text("kind", job.kind())
        .text("payload", job.payload())
        .integer("payload_version", job.payloadVersion())
        .integer("priority", job.priority() == null ? null : job.priority().intValue())
        .integer("max_attempts", job.maxAttempts())
        .text("scheduled_at", scheduledAt(job))
        .number("delay", DatabaseClock.micros(job.delay()))
        .text("tags", tags(job))
        .text("unique_key", unique(UniqueKey::key).apply(job))
        .text("unique_label", unique(UniqueKey::label).apply(job))
        .text("unique_until", unique(key -> key.until().literal()).apply(job))
        .text("traceparent", job.traceparent());
  }

  private static @Nullable String scheduledAt(NewJob job) {
    Instant at = job.scheduledAt();
    return at == null ? null : at.toString();
  }

  /**
   * The tags as the text of an array: arrays of different lengths are no array in PostgreSQL, so
   * each job's travel as one element.
   */
  private static @Nullable String tags(NewJob job) {
    return job.tags().isEmpty()
        ? null
        : job.tags().stream()
            .map(tag -> '"' + tag.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
            .collect(Collectors.joining(",", "{", "}"));
  }

  private static Function<NewJob, @Nullable String> unique(Function<UniqueKey, String> part) {
    return job -> {
      UniqueKey key = job.uniqueKey();
      return key == null ? null : part.apply(key);
    };
  }

  private static <T> Field<T> field(String column, Class<T> type) {
    return org.jooq.impl.DSL.field(name("incoming", column), type);
  }

  private static <T> Field<T> field(String column, org.jooq.DataType<T> type) {
    return org.jooq.impl.DSL.field(name("incoming", column), type);
  }
}
