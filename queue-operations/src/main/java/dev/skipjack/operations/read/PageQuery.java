package dev.skipjack.operations.read;

import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.nullif;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Select;
import org.jooq.SortOrder;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The query that all lists share. It reads a bounded range of an index, takes the page from it, and
 * returns where the range ended.
 *
 * <pre>{@code
 * seen    AS MATERIALIZED (a range of an index: position, whether the filters match, row number in the range),
 * horizon AS (SELECT position FROM seen WHERE place = :cut ORDER BY position LIMIT 1),
 * page    AS (SELECT position FROM seen WHERE matches AND position <= horizon ORDER BY position LIMIT :limit)
 * SELECT horizon.*, jobs.*
 *   FROM one row LEFT JOIN horizon ON true LEFT JOIN jobs ON id = ANY (ARRAY(SELECT id FROM page)) ORDER BY position
 * }</pre>
 *
 * <p>With a filter that no index covers, a query would read until enough rows match, or to the end
 * of the table if too few do. A page therefore reads a bounded range and returns the point where
 * the range was cut. This point is the <i>horizon</i>, after which the next page begins.
 *
 * <p>{@code seen} holds only positions and flags, so that 10,000 rows stay small regardless of the
 * size of their errors and tags. The rows of the page are fetched by an array of ids, the only form
 * for which the planner never chooses a scan of the table. The query selects from a single row
 * because even an empty page has a horizon. No list selects a payload.
 */
final class PageQuery {

  static final Param<Long> AFTER = param("after", Long.class);
  static final Field<Instant> AFTER_AT = cast(param("after_at", String.class), SQLDataType.INSTANT);

  /** The parameter for the maximum number of rows in a range. */
  static final Param<Long> MOST = param("most", Long.class);

  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Field<Instant> HORIZON_AT = at("horizon");
  private static final Field<Long> HORIZON_ID = id("horizon");

  private final List<CommonTableExpression<?>> ctes = new ArrayList<>();
  private final boolean byInstant;
  private final SortOrder direction;
  private Condition complete = noCondition();

  private PageQuery(boolean byInstant, SortOrder direction) {
    this.byInstant = byInstant;
    this.direction = direction;
  }

  /** Creates a query ordered by id. Its {@code seen} has the columns id, matches and place. */
  static PageQuery byId() {
    return new PageQuery(false, SortOrder.ASC);
  }

  /** Creates a query ordered by instant and id. Its {@code seen} also has the column {@code at}. */
  static PageQuery byInstant(SortOrder direction) {
    return new PageQuery(true, direction);
  }

  /**
   * Declares that {@code seen} is merged from several ranges, in ascending order, and returns this
   * query. The page ends at the first point where one of the ranges was cut, because the merged
   * rows have gaps after it.
   *
   * @param lead the tables to which {@code seen} refers
   */
  PageQuery mergedFrom(CommonTableExpression<?>... lead) {
    ctes.addAll(List.of(lead));
    Table<?> horizon = table(name("horizon"));
    complete =
        notExists(selectOne().from(horizon))
            .or(
                byInstant
                    ? row(at("seen"), id("seen"))
                        .le(select(at("horizon"), id("horizon")).from(horizon))
                    : id("seen").le(select(id("horizon")).from(horizon)));
    return this;
  }

  /**
   * Returns a CTE that computes the maximum number of rows of each of several ranges, so that
   * together they stay within the bound.
   *
   * @param groups the table with one row for each range
   * @param which restricts the groups
   */
  static CommonTableExpression<?> share(CommonTableExpression<?> groups, Condition which) {
    return name("share")
        .as(
            select(
                    greatest(
                            least(
                                MOST,
                                inline((long) ReadBounds.EXACT).div(nullif(count(), inline(0)))),
                            inline(1L))
                        .as("cut"))
                .from(groups)
                .where(which));
  }

  /** Returns the number that {@link #share} computes. */
  static Field<Long> cutOf(CommonTableExpression<?> share) {
    return field(select(field(name(share.getName(), "cut"), Long.class)).from(share));
  }

  /**
   * Returns the whole query.
   *
   * @param seen the rows that are read
   * @param cut the row number at which a range is cut
   * @param jobs the table that contains the jobs, and its columns to read
   * @param where a condition on the rows of the page, in addition to their ids
   * @param order the order of the rows on the page
   */
  ResultQuery<?> query(
      Select<?> seen, Field<Long> cut, JobSummaries jobs, Condition where, OrderField<?>... order) {
    ctes.add(name("seen").asMaterialized(seen));
    ctes.add(
        name("horizon")
            .as(
                select(position("seen"))
                    .from(table(name("seen")))
                    .where(field(name("seen", "place"), Long.class).eq(cut))
                    .orderBy(order("seen"))
                    .limit(inline(1))));
    ctes.add(
        name("page")
            .as(
                select(position("seen"))
                    .from(table(name("seen")))
                    .where(field(name("seen", "matches"), Boolean.class))
                    .and(complete)
                    .orderBy(order("seen"))
                    .limit(LIMIT)));
    return withRecursive(ctes.toArray(CommonTableExpression<?>[]::new))
        .select(byInstant ? HORIZON_AT : castNull(SQLDataType.INSTANT).as(HORIZON_AT), HORIZON_ID)
        .select(jobs.columns())
        .from(selectOne().asTable("one"))
        .leftJoin(table(name("horizon")))
        .on(inline(true))
        .leftJoin(jobs.table())
        .on(jobs.id().eq(any(array(select(id("page")).from(table(name("page")))))))
        .and(where)
        .orderBy(order);
  }

  private List<Field<?>> position(String cte) {
    return byInstant ? List.of(at(cte), id(cte)) : List.of(id(cte));
  }

  private List<OrderField<?>> order(String cte) {
    return position(cte).stream().<OrderField<?>>map(field -> field.sort(direction)).toList();
  }

  private static Field<Long> id(String cte) {
    return field(name(cte, "id"), Long.class);
  }

  private static Field<Instant> at(String cte) {
    return field(name(cte, "at"), SQLDataType.INSTANT);
  }

  /**
   * Creates the statement of a list.
   *
   * @param jobs the table that contains the jobs, and its columns to read
   * @param query made by {@link #query}
   */
  static Statement<Request, Entry> statement(
      DSLContext dialect, JobSummaries jobs, ResultQuery<?> query) {
    return Statement.of(dialect, query, PageQuery::arguments, row -> entry(row, jobs));
  }

  private static Entry entry(Row row, JobSummaries jobs) throws SQLException {
    Long horizon = row.numberOrNull(HORIZON_ID);
    Long job = row.numberOrNull(jobs.id());
    return new Entry(
        horizon == null ? null : position(row.instantOrNull(HORIZON_AT), horizon),
        job == null ? null : jobs.read(row));
  }

  private static Position position(@Nullable Instant at, long id) {
    return at == null ? Position.of(id) : Position.of(at, id);
  }

  private static Arguments arguments(Request request) {
    JobQuery query = request.query();
    return JobFilter.arguments(query, request.queues())
        .text("queue", Objects.requireNonNullElse(query.queue(), ""))
        .number("after", request.from().id())
        .text("after_at", request.from().serverTime())
        .number("limit", query.limit())
        .number("most", request.most());
  }

  /**
   * A request for one page of a list.
   *
   * @param query the filters and the size of the page
   * @param queues the queues of the jobs; empty for all
   * @param from the position after which the page begins
   * @param most the maximum number of rows that may be read to fill the page
   */
  record Request(JobQuery query, List<String> queues, Position from, int most) {}

  /**
   * One row of the result.
   *
   * @param horizon the position up to which the index was read, which is the same in each row; null
   *     if it was read to its end
   * @param job the job, or null in the only row of an empty page
   */
  record Entry(@Nullable Position horizon, @Nullable JobSummary job) {}
}
