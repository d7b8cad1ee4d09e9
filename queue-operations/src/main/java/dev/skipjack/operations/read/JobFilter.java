package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.cardinality;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.length;
import static org.jooq.impl.DSL.lower;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.position;
import static org.jooq.impl.DSL.right;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a list. The statement always contains all of them, so its text is constant. A
 * filter that is not set has a value that matches every job, usually an empty array or text. The
 * filters are checked row by row. They do not affect which index is used, because the order of the
 * list determines the index.
 */
enum JobFilter {
  /**
   * All filters except the one by payload, so that roles that may not read payloads can list jobs.
   */
  PLAIN,
  /** All filters. */
  WITH_PAYLOAD;

  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<String[]> STATUSES = Texts.array("statuses");
  private static final Param<String[]> GROUPS = Texts.array("groups");
  private static final Param<String[]> TAGS = param("tags", JOBS.TAGS.getDataType());

  /** A text that cannot be a group, because a group has one line. The empty text is a group. */
  private static final String EVERY_GROUP = "\n";

  private static final Field<String> ERROR = Texts.param("error");
  private static final Field<String> ERROR_CLASS = Texts.param("error_class");
  private static final Field<String> ERROR_GROUP = Texts.param("error_group");
  private static final Field<Instant> SINCE =
      cast(param("since", String.class), SQLDataType.INSTANT);
  private static final Param<String[]> PAYLOAD_PATH = Texts.array("payload_path");
  private static final Field<String> PAYLOAD_VALUE = Texts.param("payload_value");

  /** Returns the filters that a query needs. */
  static JobFilter of(JobQuery query) {
    return query.payload() == null ? PLAIN : WITH_PAYLOAD;
  }

  /** Returns the condition of the filters on live jobs. */
  Condition onLive() {
    return on(JOBS).and(hasErrorClass()).and(JOBS.CREATED_AT.ge(SINCE));
  }

  /**
   * Returns the condition of the filters on archived jobs, except {@link #ended}, which limits the
   * range of the index that is read.
   */
  Condition onArchived() {
    return on(JOBS_ARCHIVE);
  }

  /** Returns the condition that an archived job has ended since the given time. */
  static Condition ended() {
    return JOBS_ARCHIVE.FINISHED_AT.ge(SINCE);
  }

  private Condition on(Table<?> jobs) {
    return queueAndKind(column(jobs, JOBS.QUEUE), column(jobs, JOBS.KIND))
        .and(
            cardinality(STATUSES)
                .eq(inline(0))
                .or(column(jobs, JOBS.STATUS).coerce(String.class).eq(any(STATUSES))))
        .and(isOneOf(column(jobs, JOBS.GROUP_KEY), GROUPS))
        .and(cardinality(TAGS).eq(inline(0)).or(column(jobs, JOBS.TAGS).contains(TAGS)))
        .and(
            ERROR
                .eq(inline(""))
                .or(position(lower(column(jobs, JOBS.LAST_ERROR)), lower(ERROR)).gt(inline(0))))
        .and(
            ERROR_GROUP
                .eq(inline(EVERY_GROUP))
                .or(ErrorGroups.of(column(jobs, JOBS.LAST_ERROR)).eq(ERROR_GROUP)))
        .and(
            this == PLAIN
                ? noCondition()
                : at(column(jobs, JOBS.PAYLOAD), PAYLOAD_PATH).eq(PAYLOAD_VALUE));
  }

  /** Returns the condition that the class of the error has the wanted name, or ends with it. */
  private static Condition hasErrorClass() {
    return ERROR_CLASS
        .eq(inline(""))
        .or(JOBS.LAST_ERROR_CLASS.eq(ERROR_CLASS))
        .or(
            right(JOBS.LAST_ERROR_CLASS, length(ERROR_CLASS).plus(inline(1)))
                .eq(concat(inline("."), ERROR_CLASS)));
  }

  /** Returns a field of a document as text, which jOOQ's DSL cannot express. */
  private static Field<String> at(Field<JSONB> document, Field<String[]> path) {
    return field("{0} #>> {1}", SQLDataType.CLOB, document, path);
  }

  /** Returns the condition of those filters that can be checked once per group of an index. */
  static Condition queueAndKind(Field<String> queue, Field<String> kind) {
    return isOneOf(queue, QUEUES).and(isOneOf(kind, KINDS));
  }

  private static Condition isOneOf(Field<String> column, Param<String[]> wanted) {
    return cardinality(wanted).eq(inline(0)).or(column.eq(any(wanted)));
  }

  private static <T> Field<T> column(Table<?> table, Field<T> column) {
    return table.field(column.getName(), column.getDataType());
  }

  /** Returns the values of a query's filters, of which that of the queue is given separately. */
  static Arguments arguments(JobQuery query, List<String> queues) {
    return new Arguments()
        .texts("queues", queues, text -> text)
        .texts("kinds", oneOrNone(query.kind()), text -> text)
        .texts("statuses", oneOrNone(query.status()), JobStatus::literal)
        .texts("groups", oneOrNone(query.group()), text -> text)
        .texts("tags", oneOrNone(query.tag()), text -> text)
        .text("error", Objects.requireNonNullElse(query.error(), ""))
        .text("error_class", Objects.requireNonNullElse(query.errorClass(), ""))
        .text("error_group", Objects.requireNonNullElse(query.errorGroup(), EVERY_GROUP))
        .text("since", query.since() == null ? "-infinity" : query.since().toString())
        .texts(
            "payload_path",
            query.payload() == null ? List.of() : query.payload().path(),
            text -> text)
        .text("payload_value", query.payload() == null ? "" : query.payload().value());
  }

  private static <T> List<T> oneOrNone(@Nullable T value) {
    return value == null ? List.of() : List.of(value);
  }
}
