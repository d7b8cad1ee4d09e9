package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.arrayAgg;
import static org.jooq.impl.DSL.arrayGet;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record3;
import org.jooq.Record6;
import org.jooq.ResultQuery;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the groups of a lane that have due jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE bound AS (...),
 * first AS MATERIALIZED (SELECT group_key, scheduled_at, id FROM jobs
 *                         WHERE status = 'pending' AND queue = :queue AND priority = :priority AND scheduled_at <= now()
 *                           AND (scheduled_at, id) >= (:low_at, :low_id)
 *                         ORDER BY scheduled_at, id LIMIT :jobs),
 * further AS MATERIALIZED (SELECT ... AND (scheduled_at, id) > (:ungrouped_at, :ungrouped_id) ... LIMIT :jobs),
 * newest AS MATERIALIZED (SELECT ... ORDER BY scheduled_at DESC, id DESC LIMIT :newest),
 * walked (group_key, step, wrapped) AS (
 *     SELECT :after, 0, false WHERE <first is full>
 *   UNION ALL
 *     SELECT next.group_key, walked.step + 1, next.wrapped
 *       FROM walked CROSS JOIN LATERAL (<the first group_key after walked.group_key, or else the first of all up to :after>) AS next
 *      WHERE walked.step < :names),
 * named AS MATERIALIZED (<the groups of walked> UNION ALL <the others of first and newest, with their jobs there and the first of first>),
 * found AS (<named with the number of due jobs and the first of them> UNION ALL <the jobs without a group in first and further, or else in newest>)
 * SELECT ..., found.group_key, found.due, weight, LEAST(<most> - <running>, <tokens of the rate>) AS free
 *   FROM bound CROSS JOIN <the free permits of the limit> LEFT JOIN found ON found.due > 0 LEFT JOIN LATERAL <settings of the group> ON true ORDER BY <from :after on>
 * }</pre>
 *
 * <p>Every part is bounded. If there are fewer due jobs than requested, they contain all groups,
 * and nothing else is read: groups that have only future jobs cost nothing. Otherwise, the
 * recursion jumps through {@code jobs_group_idx} from one group to the next, as often as requested,
 * and reads the due jobs of each. A single group with a million due jobs therefore neither slows
 * the search down nor hides the other groups. The running jobs of a group are counted up to its
 * maximum. Permits that a rate holds do not count as free either, so that groups do not lose turns.
 *
 * <p>Every part except the walk skips the jobs before {@code (:low_at, :low_id)}, so that a worker
 * need not read the same dead index entries in each search. With the condition in the walk, the
 * planner could prefer an index without groups.
 *
 * <p>The first due job of each group is returned, so that the claim begins there. Dead index
 * entries are read here, where no lock is held, and not again by the claim.
 *
 * <p>Jobs without a group are not in that index. If the first due jobs contain none, a second read
 * searches further, from the place that the last search reached. The jobs that became due last are
 * read too, because a job of a group that had none is among them.
 *
 * <p>Locks nothing: a claim checks the pause, the maximum and the due jobs again.
 */
final class DueGroupsStatement {

  private static final Param<Integer> JOBS_READ = param("jobs", Integer.class);
  private static final Param<Integer> NEWEST = param("newest", Integer.class);
  private static final Param<Integer> DEPTH = param("depth", Integer.class);
  private static final Param<Integer> NAMES = param("names", Integer.class);
  private static final Field<Short> PRIORITY =
      cast(param("priority", Integer.class), SQLDataType.SMALLINT);
  private static final Field<String> AFTER =
      field("{0} collate \"C\"", SQLDataType.CLOB, Texts.param("after"));
  private static final Field<Instant> UNGROUPED_AT =
      Texts.param("ungrouped_at").cast(SQLDataType.INSTANT);
  private static final Param<Long> UNGROUPED_ID = param("ungrouped_id", Long.class);
  private static final Field<Instant> LOW_AT = Texts.param("low_at").cast(SQLDataType.INSTANT);
  private static final Param<Long> LOW_ID = param("low_id", Long.class);

  private static final Field<String> GROUP = field(name("found", "group_key"), String.class);
  private static final Field<Long> DUE = field(name("found", "due"), Long.class);
  private static final Field<Instant> FROM = field(name("found", "from_at"), SQLDataType.INSTANT);
  private static final Field<Long> FROM_ID = field(name("found", "from_id"), Long.class);
  private static final Field<Instant> UNTIL = field(name("found", "until_at"), SQLDataType.INSTANT);
  private static final Field<Long> UNTIL_ID = field(name("found", "until_id"), Long.class);
  private static final Field<Integer> WEIGHT = field(name("weight"), Integer.class);
  private static final Field<Boolean> IS_PAUSED = field(name("is_paused"), Boolean.class);
  private static final Field<Integer> FREE = field(name("free"), Integer.class);
  private static final Field<Integer> FREE_OF_LIMIT = field(name("free_of_limit"), Integer.class);
  private static final Field<Long> OPENS_IN = field(name("opens_in"), Long.class);
  private static final Field<Long> OPENS_IN_OF_LIMIT = field(name("opens_in_of_limit"), Long.class);
  private static final String FULL_AT = JOB_RATE_USES.FULL_AT.getName();
  private static final Field<Boolean> LOCKS_LIMIT = field(name("locks_limit"), Boolean.class);
  private static final Field<Boolean> LOCKS_GROUPS = field(name("locks_groups"), Boolean.class);
  private static final Field<String> READ_TO = field(name("read_to"), String.class);
  private static final Field<Instant> FIRST_AT = field(name("first_at"), SQLDataType.INSTANT);
  private static final Field<Long> FIRST_ID = field(name("first_id"), Long.class);
  private static final Field<Instant> READ_AT = field(name("read_at"), SQLDataType.INSTANT);
  private static final Field<Long> READ_ID = field(name("read_id"), Long.class);

  /** A group, with the facts that all groups have in common. */
  record Found(
      DueGroups of, @Nullable DueGroup group, boolean locksGroup, @Nullable Duration opensIn) {}

  private DueGroupsStatement() {}

  static Statement<GroupSearch, Found> of(DSLContext dialect) {
    return Statement.of(dialect, query(), DueGroupsStatement::arguments, DueGroupsStatement::read);
  }

  private static ResultQuery<?> query() {
    Field<Integer> most = QueueLimit.mostOfGroup();
    Condition hasRate = QueueLimit.hasRatePerGroup();
    Field<String> key = RateLimit.keyOf(GROUP);
    Table<?> rate = select(QueueLimit.RATE.fullAt(hasRate, key).as(FULL_AT)).asTable("rate");
    Field<Instant> fullAt = field(name("rate", FULL_AT), SQLDataType.INSTANT);
    Field<Long> tokens = QueueLimit.RATE.tokens(hasRate, key, fullAt);
    Field<Integer> running = QueueLimit.running(QueueLimit.NAME, GROUP, most);
    Field<Integer> free =
        when(QueueLimit.NAME.isNull(), inline(Integer.MAX_VALUE))
            .otherwise(free(when(most.isNotNull(), most.minus(running)), tokens));
    Table<?> own = QueueLimit.settingsOf(GROUP);
    Field<Instant> pausedAt = field(name("own", JOB_GROUPS.PAUSED_AT.getName()), Instant.class);
    Field<Integer> ownMost = field(name("own", JOB_GROUPS.MAX_RUNNING.getName()), Integer.class);
    Field<Integer> ownWeight = field(name("own", JOB_GROUPS.WEIGHT.getName()), Integer.class);
    return withRecursive(QueueLimit.bound(trueCondition()), first(), further(), newest(), walked())
        .with(named(), found(), permits())
        .select(
            QueueLimit.NAME,
            FREE_OF_LIMIT,
            OPENS_IN_OF_LIMIT,
            field(QueueLimit.isOverAll()).as(LOCKS_LIMIT),
            field(QueueLimit.isPerGroup().or(ownMost.isNotNull())).as(LOCKS_GROUPS),
            field(
                    select(field(name("walked", "group_key"), String.class))
                        .from(table(name("walked")))
                        .where(step().eq(NAMES).and(NAMES.gt(inline(0)))))
                .as(READ_TO),
            firstDue(JOBS.SCHEDULED_AT).as(FIRST_AT),
            firstDue(JOBS.ID).as(FIRST_ID),
            lastFurther(JOBS.SCHEDULED_AT).as(READ_AT),
            lastFurther(JOBS.ID).as(READ_ID),
            GROUP,
            DUE,
            FROM,
            FROM_ID,
            UNTIL,
            UNTIL_ID,
            coalesce(ownWeight, inline(1)).as(WEIGHT),
            field(pausedAt.isNotNull()).as(IS_PAUSED),
            free.as(FREE),
            when(tokens.eq(inline(0L)), QueueLimit.RATE.opensIn(hasRate, key, fullAt)).as(OPENS_IN))
        .from(table(name("bound")))
        .crossJoin(table(name("permits")))
        .leftJoin(table(name("found")))
        .on(DUE.gt(inline(0L)))
        .leftJoin(lateral(own))
        .on(trueCondition())
        .leftJoin(lateral(rate))
        .on(trueCondition())
        .orderBy(field(coalesce(GROUP, inline("")).gt(AFTER)).desc(), GROUP.asc().nullsFirst());
  }

  /** Returns the CTE with the free permits of the whole limit, which are counted once. */
  private static CommonTableExpression<?> permits() {
    Condition hasRate = QueueLimit.hasRateOverAll();
    Field<String> key = inline("");
    Table<?> rate = select(QueueLimit.RATE.fullAt(hasRate, key).as(FULL_AT)).asTable("rate");
    Field<Instant> fullAt = field(name("rate", FULL_AT), SQLDataType.INSTANT);
    Field<Long> tokens = QueueLimit.RATE.tokens(hasRate, key, fullAt);
    Field<Integer> most = QueueLimit.MOST;
    Field<Integer> permits =
        when(most.isNotNull(), most.minus(QueueLimit.running(QueueLimit.NAME, most)));
    return name("permits")
        .asMaterialized(
            select(
                    free(permits, tokens).as(FREE_OF_LIMIT),
                    when(tokens.eq(inline(0L)), QueueLimit.RATE.opensIn(hasRate, key, fullAt))
                        .as(OPENS_IN_OF_LIMIT))
                .from(table(name("bound")))
                .crossJoin(lateral(rate)));
  }

  /** Returns the smaller number; NULL stands for any number. */
  private static Field<Integer> free(Field<Integer> permits, Field<Long> tokens) {
    return greatest(
        coalesce(least(permits, tokens.cast(SQLDataType.INTEGER)), inline(Integer.MAX_VALUE)),
        inline(0));
  }

  private static Condition isDue() {
    return JobPredicates.PENDING
        .and(JOBS.QUEUE.eq(QueueLimit.queue()))
        .and(JOBS.PRIORITY.eq(PRIORITY))
        .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
        .and(isFromLow());
  }

  private static Condition isFromLow() {
    return row(JOBS.SCHEDULED_AT, JOBS.ID).ge(row(LOW_AT, LOW_ID));
  }

  private static CommonTableExpression<?> first() {
    return name("first")
        .asMaterialized(
            select(JOBS.GROUP_KEY, JOBS.SCHEDULED_AT, JOBS.ID)
                .from(JOBS)
                .where(isDue())
                .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
                .limit(JOBS_READ));
  }

  private static Condition firstIsFull() {
    return field(select(count()).from(table(name("first")))).ge(JOBS_READ);
  }

  private static CommonTableExpression<?> further() {
    return name("further")
        .asMaterialized(
            select(JOBS.GROUP_KEY, JOBS.SCHEDULED_AT, JOBS.ID)
                .from(JOBS)
                .where(isDue())
                .and(row(JOBS.SCHEDULED_AT, JOBS.ID).gt(row(UNGROUPED_AT, UNGROUPED_ID)))
                .and(firstIsFull())
                .and(
                    notExists(
                        selectOne().from(table(name("first"))).where(group("first").isNull())))
                .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
                .limit(JOBS_READ));
  }

  /**
   * Returns the jobs that became due last. A group that has just received its first job is found
   * here, however many other groups and jobs there are.
   */
  private static CommonTableExpression<?> newest() {
    return name("newest")
        .asMaterialized(
            select(JOBS.GROUP_KEY, JOBS.SCHEDULED_AT, JOBS.ID)
                .from(JOBS)
                .where(isDue())
                .and(firstIsFull())
                .orderBy(JOBS.SCHEDULED_AT.desc(), JOBS.ID.desc())
                .limit(NEWEST));
  }

  /** Returns a column of the first row of {@code first}. */
  private static <T> Field<T> firstDue(Field<T> column) {
    return field(
        select(field(name("first", column.getName()), column.getDataType()))
            .from(table(name("first")))
            .orderBy(at("first"), id("first"))
            .limit(inline(1)));
  }

  /** Returns a column of the last row of {@code further}, or NULL if it contains all due jobs. */
  private static <T> Field<T> lastFurther(Field<T> column) {
    Field<T> last = field(name("further", column.getName()), column.getDataType());
    Field<Instant> at = field(name("further", JOBS.SCHEDULED_AT.getName()), Instant.class);
    Field<Long> id = field(name("further", JOBS.ID.getName()), Long.class);
    return field(
        select(last)
            .from(table(name("further")))
            .where(field(select(count()).from(table(name("further")))).ge(JOBS_READ))
            .orderBy(at.desc(), id.desc())
            .limit(inline(1)));
  }

  private static CommonTableExpression<?> walked() {
    Field<String> walkedGroup = group("walked");
    Field<Boolean> wrapped = field(name("walked", "wrapped"), Boolean.class);
    Condition lane =
        JobPredicates.PENDING
            .and(JOBS.QUEUE.eq(QueueLimit.queue()))
            .and(JOBS.PRIORITY.eq(PRIORITY))
            .and(JOBS.GROUP_KEY.isNotNull());
    Table<?> beyond = first(lane.and(wrapped.isFalse()).and(JOBS.GROUP_KEY.gt(walkedGroup)), false);
    Table<?> again = first(lane.and(wrapped.isFalse()).and(JOBS.GROUP_KEY.le(AFTER)), true);
    Table<?> further =
        first(
            lane.and(wrapped.isTrue())
                .and(JOBS.GROUP_KEY.gt(walkedGroup))
                .and(JOBS.GROUP_KEY.le(AFTER)),
            true);
    Table<?> next =
        select(beyond.fields())
            .from(beyond)
            .unionAll(select(again.fields()).from(again))
            .unionAll(select(further.fields()).from(further))
            .limit(inline(1))
            .asTable("next");
    return name("walked")
        .fields("group_key", "step", "wrapped")
        .as(
            select(AFTER, inline(0), inline(false))
                .where(firstIsFull())
                .unionAll(
                    select(
                            group("next"),
                            step().plus(inline(1)),
                            field(name("next", "wrapped"), Boolean.class))
                        .from(table(name("walked")))
                        .crossJoin(lateral(next))
                        .where(step().lt(NAMES))));
  }

  /**
   * Returns the first group that matches. Each case is a query of its own: a condition that cannot
   * become a part of the index condition would make the scan read all groups after the last one.
   */
  private static Table<?> first(Condition which, boolean wrapped) {
    return select(JOBS.GROUP_KEY, inline(wrapped).as("wrapped"))
        .from(JOBS)
        .where(which)
        .orderBy(JOBS.GROUP_KEY)
        .limit(inline(1))
        .asTable("following");
  }

  private static Field<Integer> step() {
    return field(name("walked", "step"), Integer.class);
  }

  private static Field<String> group(String table) {
    return field(name(table, "group_key"), String.class);
  }

  private static CommonTableExpression<?> named() {
    // The first of a group's jobs in newest need not be its first due job.
    Table<?> read =
        place("first")
            .unionAll(
                select(group("rest"), castNull(SQLDataType.INSTANT), castNull(SQLDataType.BIGINT))
                    .from(place("newest").except(place("first")).asTable("rest")))
            .asTable("read");
    return name("named")
        .fields("group_key", "due", "from_at", "from_id")
        .asMaterialized(
            select(
                    group("walked"),
                    castNull(SQLDataType.BIGINT),
                    castNull(SQLDataType.INSTANT),
                    castNull(SQLDataType.BIGINT))
                .from(table(name("walked")))
                .where(step().gt(inline(0)))
                .unionAll(
                    select(
                            group("read"),
                            count().cast(SQLDataType.BIGINT),
                            min(at("read")),
                            firstId("read"))
                        .from(read)
                        .where(group("read").isNotNull())
                        .and(
                            notExists(
                                selectOne()
                                    .from(table(name("walked")))
                                    .where(group("walked").eq(group("read")))
                                    .and(step().gt(inline(0)))))
                        .groupBy(group("read"))));
  }

  private static CommonTableExpression<?> found() {
    Field<Long> due = field(name("named", "due"), Long.class);
    Table<?> job =
        select(JOBS.SCHEDULED_AT, JOBS.ID)
            .from(JOBS)
            .where(isDue())
            .and(JOBS.GROUP_KEY.eq(group("named")))
            .and(due.isNull())
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(DEPTH)
            .asTable("job");
    Table<?> counted =
        select(
                count().cast(SQLDataType.BIGINT).as("due"),
                min(at("job")).as("from_at"),
                firstId("job").as("from_id"))
            .from(job)
            .asTable("counted");
    return name("found")
        .fields("group_key", "due", "from_at", "from_id", "until_at", "until_id")
        .asMaterialized(
            select(
                    group("named"),
                    coalesce(due, field(name("counted", "due"), Long.class)),
                    coalesce(
                        field(name("named", "from_at"), SQLDataType.INSTANT),
                        field(name("counted", "from_at"), SQLDataType.INSTANT)),
                    coalesce(
                        field(name("named", "from_id"), Long.class),
                        field(name("counted", "from_id"), Long.class)),
                    castNull(SQLDataType.INSTANT),
                    castNull(SQLDataType.BIGINT))
                .from(table(name("named")))
                .crossJoin(lateral(counted))
                .unionAll(ungrouped(read("first", "further"), trueCondition()))
                .unionAll(
                    ungrouped(
                        read("newest"),
                        notExists(
                            selectOne()
                                .from(read("first", "further").asTable("earlier"))
                                .where(group("earlier").isNull())))));
  }

  /** Returns the rows of some parts of the search, each job once. */
  private static Select<Record3<String, Instant, Long>> read(String... parts) {
    Select<Record3<String, Instant, Long>> all = null;
    for (String part : parts) {
      Select<Record3<String, Instant, Long>> rows = place(part);
      all = all == null ? rows : all.union(rows);
    }
    return Objects.requireNonNull(all);
  }

  /** Returns the rows of one part of the search. */
  private static Select<Record3<String, Instant, Long>> place(String part) {
    return select(group(part).as("group_key"), at(part).as("scheduled_at"), id(part).as("id"))
        .from(table(name(part)));
  }

  private static Field<Instant> at(String table) {
    return field(name(table, "scheduled_at"), SQLDataType.INSTANT);
  }

  private static Field<Long> id(String table) {
    return field(name(table, "id"), Long.class);
  }

  /** Returns the id of the first job, in the order of due times. */
  private static Field<Long> firstId(String table) {
    return arrayGet(arrayAgg(id(table)).orderBy(at(table), id(table)), inline(1));
  }

  /**
   * Returns the jobs without a group as one group. They are claimed from the first to the last of
   * them, so they come from one part of the search, which shows how many jobs lie between.
   */
  private static Select<Record6<String, Long, Instant, Long, Instant, Long>> ungrouped(
      Select<?> rows, Condition which) {
    return select(
            castNull(SQLDataType.CLOB),
            count().cast(SQLDataType.BIGINT),
            min(at("read")),
            firstId("read"),
            max(at("read")),
            arrayGet(arrayAgg(id("read")).orderBy(at("read").desc(), id("read").desc()), inline(1)))
        .from(rows.asTable("read"))
        .where(group("read").isNull())
        .and(which);
  }

  private static Arguments arguments(GroupSearch search) {
    Place ungrouped = search.ungroupedAfter();
    Place low = Objects.requireNonNullElse(search.from(), Place.FIRST);
    return new Arguments()
        .text("queue", search.lane().queue())
        .integer("priority", search.lane().priority())
        .integer("jobs", search.jobs())
        .integer("newest", Math.max(search.jobs() / 2, 1))
        .integer("depth", search.depth())
        .integer("names", search.names())
        .text("after", search.after())
        .text("ungrouped_at", ungrouped == null ? "infinity" : timestamp(ungrouped.scheduledAt()))
        .number("ungrouped_id", ungrouped == null ? 0 : ungrouped.id())
        .text("low_at", timestamp(low.scheduledAt()))
        .number("low_id", low.id());
  }

  /** Returns a timestamp in PostgreSQL's text form. */
  static String timestamp(Instant instant) {
    return instant.isBefore(Instant.EPOCH) ? "-infinity" : instant.toString();
  }

  private static Found read(Row row) throws SQLException {
    DueGroups of =
        new DueGroups(
            List.of(),
            row.textOrNull(QueueLimit.NAME),
            row.integer(FREE_OF_LIMIT),
            row.isTrue(LOCKS_LIMIT),
            false,
            row.textOrNull(READ_TO),
            place(row.instantOrNull(READ_AT), row.numberOrNull(READ_ID)),
            duration(row.numberOrNull(OPENS_IN_OF_LIMIT)),
            place(row.instantOrNull(FIRST_AT), row.numberOrNull(FIRST_ID)));
    Long due = row.numberOrNull(DUE);
    return new Found(
        of,
        due == null || row.isTrue(IS_PAUSED)
            ? null
            : new DueGroup(
                row.textOrNull(GROUP),
                due.intValue(),
                row.integer(WEIGHT),
                row.integer(FREE),
                place(row.instantOrNull(FROM), row.numberOrNull(FROM_ID)),
                place(row.instantOrNull(UNTIL), row.numberOrNull(UNTIL_ID))),
        row.isTrue(LOCKS_GROUPS),
        duration(row.numberOrNull(OPENS_IN)));
  }

  private static @Nullable Place place(@Nullable Instant at, @Nullable Long id) {
    return at == null || id == null ? null : new Place(at, id);
  }

  private static @Nullable Duration duration(@Nullable Long micros) {
    return micros == null ? null : Duration.of(Math.max(micros, 0), ChronoUnit.MICROS);
  }

  static DueGroups collect(List<Found> rows) {
    if (rows.isEmpty()) {
      return DueGroups.NONE;
    }
    List<DueGroup> groups = new ArrayList<>(rows.size());
    boolean locksGroups = false;
    for (Found row : rows) {
      if (row.group() != null) {
        groups.add(row.group());
        locksGroups |= row.locksGroup();
      }
    }
    DueGroups of = rows.get(0).of();
    return new DueGroups(
        groups,
        of.limit(),
        of.free(),
        of.locksLimit(),
        of.limit() != null && locksGroups,
        of.readTo(),
        of.ungroupedTo(),
        of.opensIn() == null ? first(rows) : of.opensIn(),
        of.first());
  }

  /** Returns when the first of the groups that a rate holds may start a job. */
  private static @Nullable Duration first(List<Found> rows) {
    return rows.stream()
        .filter(row -> row.group() != null)
        .map(Found::opensIn)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }
}
