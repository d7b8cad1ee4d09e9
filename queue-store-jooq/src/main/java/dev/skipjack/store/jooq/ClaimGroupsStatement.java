package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Claims due jobs of some groups of a lane and opens their audit rows. The queue is fair or
 * limited.
 *
 * <pre>{@code
 * WITH bound AS (... AND limit_name IS NOT DISTINCT FROM :limit_name),
 * asked AS MATERIALIZED (SELECT given.*, <maximum of the group>, <full_at of the group>
 *                          FROM unnest(:groups, :caps, :from_at, :from_ids) WITH ORDINALITY AS given (group_key, cap, from_at, from_id, position) ...
 *                         WHERE <the group is not paused>),
 * lane AS MATERIALIZED (SELECT asked.*, GREATEST(0, LEAST(cap, most - <running>, <tokens>)) AS cap FROM asked ... ORDER BY position),
 * room AS MATERIALIZED (SELECT GREATEST(0, LEAST(:most, max_running - <running>, <tokens>)) AS cap FROM bound ...),
 * claimed AS (
 *   UPDATE jobs SET status = 'running', ..., limit_name = :limit_name
 *    WHERE id = ANY (ARRAY(
 *            SELECT due.id FROM lane
 *             CROSS JOIN LATERAL (
 *                    SELECT id FROM (SELECT id FROM jobs
 *                                     WHERE status = 'pending' AND queue = :queue AND priority = :priority AND group_key = lane.group_key
 *                                       AND kind = ANY (:kinds) AND scheduled_at <= now() AND (scheduled_at, id) >= (lane.from_at, lane.from_id)
 *                                     ORDER BY scheduled_at, id LIMIT lane.cap FOR NO KEY UPDATE SKIP LOCKED) AS grouped
 *                     UNION ALL <the same for jobs without a group, up to (least(:until_at, now()), :until_id)>) AS due
 *             LIMIT (SELECT cap FROM room)))
 *   RETURNING ...),
 * opened AS (INSERT INTO job_executions ...),
 * used AS (INSERT INTO job_rate_uses ... FROM claimed ...)
 * SELECT <when the rate opens>, claimed.* FROM (...) LEFT JOIN claimed ON true
 * }</pre>
 *
 * <p>The statement runs after {@link LockLimitStatement} and {@link LockGroupsStatement} in the
 * same transaction, so its snapshot contains every start of the claims that held the locks before.
 * It counts the running jobs and reads all settings itself: it claims nothing if a number needs a
 * lock that the transaction does not hold, because the limit was changed after the caller had
 * chosen the locks. It begins at the first due job that the search found in each group, so that it
 * reads no dead index entries, and no jobs of other groups, while it holds the locks. A group has
 * one row in {@code lane}. Two would see the same free permits.
 *
 * <p>Locks the chosen jobs like {@link ClaimStatement}: in the order of the groups, without
 * waiting. For a fair queue without a limit, {@code room}, {@code used} and the counts are left
 * out.
 */
final class ClaimGroupsStatement {

  private static final Param<String[]> GROUPS = Texts.array("groups");
  private static final Param<Integer[]> CAPS = param("caps", Integer[].class);
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<Long> CLAIM_LIMIT = param("most", Long.class);
  private static final Field<String> LIMIT_NAME = Texts.param("limit_name");
  private static final Field<Boolean> LOCKS_LIMIT =
      cast(param("locks_limit", String.class), SQLDataType.BOOLEAN);
  private static final Field<Boolean> LOCKS_GROUPS =
      cast(param("locks_groups", String.class), SQLDataType.BOOLEAN);
  private static final Param<Instant[]> FROM =
      param("from_at", SQLDataType.INSTANT.getArrayDataType());
  private static final Param<Long[]> FROM_IDS = param("from_ids", Long[].class);
  private static final Field<Instant> UNTIL = Texts.param("until_at").cast(SQLDataType.INSTANT);
  private static final Param<Long> UNTIL_ID = param("until_id", Long.class);
  private static final Field<Short> PRIORITY =
      cast(param("priority", Integer.class), SQLDataType.SMALLINT);

  private static final String FULL_AT = JOB_RATE_USES.FULL_AT.getName();
  private static final Field<String> LANE_GROUP = field(name("lane", "group_key"), String.class);
  private static final Field<Long> LANE_CAP = field(name("lane", "cap"), Long.class);
  private static final Field<Instant> LANE_FROM =
      field(name("lane", "from_at"), SQLDataType.INSTANT);
  private static final Field<Long> LANE_FROM_ID = field(name("lane", "from_id"), Long.class);
  private static final Field<Long> OPENS_IN = field(name("opens_in"), Long.class);

  /**
   * A claimed job.
   *
   * @param opensIn the microseconds until the rate permits another start; null if it does now
   * @param job the job; null if none was claimed
   */
  record Claimed(@Nullable Long opensIn, @Nullable ClaimedJob job, @Nullable String group) {}

  private ClaimGroupsStatement() {}

  /** Creates the statement for a fair queue without a limit. */
  static Statement<GroupClaim, Claimed> ofFair(DSLContext dialect) {
    return ofFair(dialect, JOBS.PAYLOAD);
  }

  /** Creates the statement for a limited queue. */
  static Statement<GroupClaim, Claimed> ofLimited(DSLContext dialect) {
    return ofLimited(dialect, JOBS.PAYLOAD);
  }

  /**
   * Creates the statement that claims from a fair queue without reading payloads, for jobs whose
   * payload cannot be sent.
   */
  static Statement<GroupClaim, Claimed> ofFairWithoutPayload(DSLContext dialect) {
    return ofFair(dialect, ClaimStatement.noPayload());
  }

  /** Creates the statement that claims from a limited queue without reading payloads. */
  static Statement<GroupClaim, Claimed> ofLimitedWithoutPayload(DSLContext dialect) {
    return ofLimited(dialect, ClaimStatement.noPayload());
  }

  private static Statement<GroupClaim, Claimed> ofFair(DSLContext dialect, Field<?> payload) {
    CommonTableExpression<?> claimed = claimed(CLAIM_LIMIT, payload);
    return Statement.of(
        dialect,
        with(bound(), asked(castNull(SQLDataType.INTEGER), castNull(SQLDataType.INSTANT)))
            .with(fairLane(), claimed, opened(claimed))
            .select(claimed.fields())
            .from(claimed),
        request -> arguments(request),
        row -> read(row, null));
  }

  private static Statement<GroupClaim, Claimed> ofLimited(DSLContext dialect, Field<?> payload) {
    Field<Long> cap = field(select(roomColumn("cap", Long.class)).from(table(name("room"))));
    CommonTableExpression<?> claimed = claimed(cap, payload);
    Table<?> state = select(opensIn().as(OPENS_IN)).asTable("state");
    List<Field<?>> columns = new ArrayList<>(List.of(claimed.fields()));
    columns.add(OPENS_IN);
    return Statement.of(
        dialect,
        with(
                bound(),
                asked(
                    QueueLimit.mostOfGroup(),
                    QueueLimit.RATE.fullAt(
                        QueueLimit.hasRatePerGroup(),
                        RateLimit.keyOf(field(name("given", "group_key"), String.class)))))
            .with(limitedLane(), room(), claimed, opened(claimed), used())
            .select(columns)
            .from(state)
            .leftJoin(claimed)
            .on(trueCondition()),
        request ->
            arguments(request)
                .text("locks_limit", Boolean.toString(request.locksLimit()))
                .text("locks_groups", Boolean.toString(request.locksGroups())),
        row -> read(row, row.numberOrNull(OPENS_IN)));
  }

  private static CommonTableExpression<?> bound() {
    return QueueLimit.bound(JOB_QUEUES.LIMIT_NAME.isNotDistinctFrom(LIMIT_NAME));
  }

  private static CommonTableExpression<?> asked(Field<Integer> most, Field<Instant> fullAt) {
    ArrayRows given =
        ArrayRows.named("given")
            .column("group_key", GROUPS)
            .column("cap", CAPS)
            .column("from_at", FROM)
            .column("from_id", FROM_IDS)
            .withPosition();
    Field<String> group = given.field("group_key", String.class);
    return name("asked")
        .fields("group_key", "cap", "from_at", "from_id", "position", "most", FULL_AT)
        .asMaterialized(
            select(
                    group,
                    given.field("cap", Integer.class),
                    given.field("from_at", Instant.class),
                    given.field("from_id", Long.class),
                    given.field("position", Long.class),
                    most,
                    fullAt)
                .from(given.table())
                .crossJoin(table(name("bound")))
                .leftJoin(lateral(QueueLimit.settingsOf(group)))
                .on(trueCondition())
                .where(field(name("own", JOB_GROUPS.PAUSED_AT.getName())).isNull()));
  }

  private static CommonTableExpression<?> fairLane() {
    return name("lane")
        .asMaterialized(
            select(
                    asked("group_key", String.class),
                    asked("from_at", Instant.class),
                    asked("from_id", Long.class),
                    asked("cap", Integer.class))
                .from(table(name("asked")))
                .orderBy(asked("position", Long.class)));
  }

  private static CommonTableExpression<?> limitedLane() {
    Field<String> group = asked("group_key", String.class);
    Field<Integer> most = asked("most", Integer.class);
    Field<Instant> fullAt = asked(FULL_AT, Instant.class);
    Field<String> key = RateLimit.keyOf(group);
    Condition hasRate = QueueLimit.hasRatePerGroup();
    Field<Long> tokens = QueueLimit.RATE.tokens(hasRate, key, fullAt);
    Field<Integer> free =
        when(most.isNotNull(), most.minus(QueueLimit.running(QueueLimit.NAME, group, most)));
    return name("lane")
        .asMaterialized(
            select(
                    group,
                    asked("from_at", Instant.class),
                    asked("from_id", Long.class),
                    fullAt,
                    when(most.isNotNull().or(hasRate).and(not(LOCKS_GROUPS)), inline(0L))
                        .otherwise(
                            greatest(
                                least(
                                    asked("cap", Integer.class).cast(SQLDataType.BIGINT),
                                    free.cast(SQLDataType.BIGINT),
                                    tokens),
                                inline(0L)))
                        .as("cap"),
                    when(tokens.eq(inline(0L)), QueueLimit.RATE.opensIn(hasRate, key, fullAt))
                        .as("opens_in"))
                .from(table(name("asked")))
                .crossJoin(table(name("bound")))
                .orderBy(asked("position", Long.class)));
  }

  private static CommonTableExpression<?> room() {
    Field<String> key = inline("");
    Condition hasRate = QueueLimit.hasRateOverAll();
    Table<?> newest = select(QueueLimit.RATE.fullAt(hasRate, key).as(FULL_AT)).asTable("newest");
    Field<Instant> fullAt = field(name("newest", FULL_AT), SQLDataType.INSTANT);
    Field<Long> tokens = QueueLimit.RATE.tokens(hasRate, key, fullAt);
    Field<Integer> free =
        when(
            QueueLimit.MOST.isNotNull(),
            QueueLimit.MOST.minus(QueueLimit.running(QueueLimit.NAME, QueueLimit.MOST)));
    return name("room")
        .asMaterialized(
            select(
                    fullAt,
                    when(QueueLimit.isOverAll().and(not(LOCKS_LIMIT)), inline(0L))
                        .otherwise(
                            greatest(
                                least(CLAIM_LIMIT, free.cast(SQLDataType.BIGINT), tokens),
                                inline(0L)))
                        .as("cap"),
                    when(tokens.eq(inline(0L)), QueueLimit.RATE.opensIn(hasRate, key, fullAt))
                        .as("opens_in"))
                .from(table(name("bound")))
                .crossJoin(lateral(newest)));
  }

  private static Field<Long> opensIn() {
    Field<Long> ofLane = field(name("lane", "opens_in"), Long.class);
    return coalesce(
        field(select(roomColumn("opens_in", Long.class)).from(table(name("room")))),
        field(select(min(ofLane)).from(table(name("lane")))));
  }

  private static <T> Field<T> roomColumn(String column, Class<T> type) {
    return field(name("room", column), type);
  }

  private static <T> Field<T> asked(String column, Class<T> type) {
    return field(name("asked", column), type);
  }

  private static CommonTableExpression<?> claimed(Field<Long> limit, Field<?> payload) {
    Condition isNext =
        JobPredicates.PENDING
            .and(JOBS.QUEUE.eq(QueueLimit.queue()))
            .and(JOBS.PRIORITY.eq(PRIORITY))
            .and(JOBS.KIND.eq(any(KINDS)))
            .and(row(JOBS.SCHEDULED_AT, JOBS.ID).ge(row(LANE_FROM, LANE_FROM_ID)));
    Table<?> grouped =
        locked(
            isNext
                .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
                .and(JOBS.GROUP_KEY.eq(LANE_GROUP)),
            "grouped");
    // PostgreSQL 18 ends a scan at only one of several upper bounds, so there is only one.
    Field<Instant> until = least(UNTIL, DatabaseClock.TRANSACTION_START);
    Table<?> ungrouped =
        locked(
            isNext
                .and(LANE_GROUP.isNull())
                .and(JOBS.GROUP_KEY.isNull())
                .and(row(JOBS.SCHEDULED_AT, JOBS.ID).le(row(until, UNTIL_ID))),
            "ungrouped");
    Table<?> due =
        select(grouped.field(JOBS.ID))
            .from(grouped)
            .unionAll(select(ungrouped.field(JOBS.ID)).from(ungrouped))
            .asTable("due");
    List<Field<?>> returned = new ArrayList<>(ClaimStatement.returned(payload));
    returned.add(JOBS.GROUP_KEY);
    return name("claimed")
        .as(
            ClaimStatement.begun(LIMIT_NAME)
                .where(
                    JOBS.ID.eq(
                        any(
                            array(
                                select(due.field(JOBS.ID))
                                    .from(table(name("lane")))
                                    .crossJoin(lateral(due))
                                    .limit(limit)))))
                .returning(returned));
  }

  private static Table<?> locked(Condition which, String alias) {
    return select(JOBS.ID)
        .from(JOBS)
        .where(which)
        .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
        .limit(LANE_CAP)
        .forNoKeyUpdate()
        .skipLocked()
        .asTable(alias);
  }

  private static CommonTableExpression<?> opened(CommonTableExpression<?> claimed) {
    return ClaimStatement.openedWithGroup(claimed);
  }

  /** Returns the CTE that records the starts of a claim whose limit has a rate. */
  private static CommonTableExpression<?> used() {
    Table<?> all = select(count().as("taken")).from(table(name("claimed"))).asTable("taken");
    Table<?> byGroup =
        select(
                field(name("claimed", "group_key"), String.class).as("group_key"),
                count().as("taken"))
            .from(table(name("claimed")))
            .groupBy(field(name("claimed", "group_key")))
            .asTable("taken");
    Field<Integer> taken = field(name("taken", "taken"), Integer.class);
    Field<String> group = field(name("taken", "group_key"), String.class);
    return name("used")
        .as(
            insertInto(
                    JOB_RATE_USES,
                    JOB_RATE_USES.LIMIT_NAME,
                    JOB_RATE_USES.GROUP_KEY,
                    JOB_RATE_USES.TAKEN,
                    JOB_RATE_USES.FULL_AT)
                .select(
                    select(
                            QueueLimit.NAME,
                            inline(""),
                            taken,
                            QueueLimit.RATE.filledBy(taken, roomColumn(FULL_AT, Instant.class)))
                        .from(all)
                        .crossJoin(table(name("bound")))
                        .crossJoin(table(name("room")))
                        .where(QueueLimit.hasRateOverAll().and(taken.gt(inline(0))))
                        .unionAll(
                            select(
                                    QueueLimit.NAME,
                                    RateLimit.keyOf(group),
                                    taken,
                                    QueueLimit.RATE.filledBy(
                                        taken, field(name("lane", FULL_AT), Instant.class)))
                                .from(byGroup)
                                .join(table(name("lane")))
                                .on(LANE_GROUP.isNotDistinctFrom(group))
                                .crossJoin(table(name("bound")))
                                .where(QueueLimit.hasRatePerGroup())))
                .returning(JOB_RATE_USES.ID));
  }

  private static Arguments arguments(GroupClaim request) {
    Place until =
        request.shares().stream()
            .filter(share -> share.group() == null)
            .findFirst()
            .map(Share::until)
            .orElse(null);
    return new Arguments()
        .text("worker", request.worker().toString())
        .number("lease", DatabaseClock.micros(request.lease()))
        .text("queue", request.lane().queue())
        .integer("priority", request.lane().priority())
        .text("limit_name", request.limit())
        .texts("groups", request.shares(), Share::group)
        .integers("caps", request.shares(), Share::cap)
        .timestamps("from_at", request.shares(), share -> timestamp(share.from()))
        .bigints(
            "from_ids", request.shares(), share -> share.from() == null ? 0L : share.from().id())
        .text("until_at", until == null ? null : later(until.scheduledAt(), Instant.EPOCH))
        .number("until_id", until == null ? 0 : until.id())
        .texts("kinds", request.kinds(), kind -> kind)
        .number("most", request.most());
  }

  private static String timestamp(@Nullable Place from) {
    return DueGroupsStatement.timestamp(from == null ? Instant.MIN : from.scheduledAt());
  }

  /** Returns the later time in PostgreSQL's text form, which differs from Java's before year 1. */
  private static String later(Instant one, Instant other) {
    return (one.isAfter(other) ? one : other).toString();
  }

  private static Claimed read(Row row, @Nullable Long opensIn) throws SQLException {
    return row.numberOrNull(JOBS.ID) == null
        ? new Claimed(opensIn, null, null)
        : new Claimed(opensIn, ClaimStatement.read(row), row.textOrNull(JOBS.GROUP_KEY));
  }
}
