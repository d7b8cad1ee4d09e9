package dev.skipjack.store.jooq.internal.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.cardinality;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;

import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobStatus;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a list. The text of the list always contains all of them and is therefore
 * constant; an empty array filters nothing. They are checked row by row and do not affect the
 * choice of the index, which follows from the order of the list.
 */
final class JobFilter {

  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<String[]> STATUSES = Texts.array("statuses");
  private static final Param<String[]> TAGS = param("tags", JOBS.TAGS.getDataType());

  private JobFilter() {}

  /** Returns the condition of all filters, on the columns of {@code jobs} or of the archive. */
  static Condition on(Table<?> jobs) {
    return queueAndKind(column(jobs, JOBS.QUEUE), column(jobs, JOBS.KIND))
        .and(
            cardinality(STATUSES)
                .eq(inline(0))
                .or(column(jobs, JOBS.STATUS).coerce(String.class).eq(any(STATUSES))))
        .and(cardinality(TAGS).eq(inline(0)).or(column(jobs, JOBS.TAGS).contains(TAGS)));
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

  /** Returns the values of a query's filters. */
  static Arguments arguments(JobQuery query) {
    return new Arguments()
        .texts("queues", oneOrNone(query.queue()), text -> text)
        .texts("kinds", oneOrNone(query.kind()), text -> text)
        .texts("statuses", oneOrNone(query.status()), JobStatus::literal)
        .texts("tags", oneOrNone(query.tag()), text -> text);
  }

  private static <T> List<T> oneOrNone(@Nullable T value) {
    return value == null ? List.of() : List.of(value);
  }
}
