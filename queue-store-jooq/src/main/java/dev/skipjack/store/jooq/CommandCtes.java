package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Existence;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.util.List;
import org.jooq.CaseConditionStep;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.SelectJoinStep;
import org.jooq.SelectSeekStep1;
import org.jooq.Table;
import org.jooq.WithStep;

/**
 * The parts that the statements of administrative commands share: the input, the lock, and the
 * result for each job. All these commands name jobs by id.
 *
 * <p>Rows are locked in id order and without waiting. A row that another transaction has locked is
 * reported as busy, and the caller retries it. {@link AttemptCtes} explains the two strengths of
 * the lock.
 */
final class CommandCtes {

  private static final Param<Long[]> IDS = param("ids", Long[].class);
  private static final ArrayRows ROWS = ArrayRows.named("given").column("id", IDS).withPosition();

  /** The input, {@code given(id, position)}. */
  static final Table<?> GIVEN = ROWS.table();

  static final Field<Long> ID = ROWS.field("id", Long.class);
  static final Field<Long> POSITION = ROWS.field("position", Long.class);

  private CommandCtes() {}

  /**
   * Returns the CTE {@code locked}, which locks, for a delete, the given jobs whose row no other
   * transaction has locked.
   */
  static CommonTableExpression<?> locked(Field<?>... columns) {
    return name("locked").asMaterialized(given(columns).forUpdate().skipLocked());
  }

  /** Returns a CTE like {@link #locked}, with a lock that is strong enough for updates only. */
  static CommonTableExpression<?> lockedForUpdateOnly(Field<?>... columns) {
    return name("locked").asMaterialized(given(columns).forNoKeyUpdate().skipLocked());
  }

  private static SelectSeekStep1<?, Long> given(Field<?>... columns) {
    return select(columns).from(JOBS).where(JOBS.ID.eq(any(IDS))).orderBy(JOBS.ID);
  }

  /**
   * Returns a condition that restricts a write to the jobs in {@code locked} that have the given
   * status.
   */
  static Condition isLockedAs(Table<?> locked, JobStatus status) {
    return JOBS.ID.eq(
        any(
            array(
                select(idOf(locked))
                    .from(locked)
                    .where(statusOf(locked).eq(JobPredicates.literal(status))))));
  }

  /** Returns a condition like {@link #isLockedAs} for several statuses. */
  static Condition isLockedAsOneOf(Table<?> locked, JobStatus... statuses) {
    return JOBS.ID.eq(
        any(
            array(
                select(idOf(locked))
                    .from(locked)
                    .where(statusOf(locked).in(JobPredicates.literals(statuses))))));
  }

  /** Begins the result for a given job, {@code CASE WHEN table.id IS NOT NULL THEN 'result'}. */
  static CaseConditionStep<String> result(Table<?> table, Enum<?> result) {
    return when(isIn(table), literal(result));
  }

  /**
   * Returns the result for a given job of a command that changes only jobs with a certain status.
   *
   * @param changed the table of the jobs that were changed
   * @param otherStatus the result for jobs that are locked but were not changed
   * @param busy the result for jobs that another transaction has locked
   * @param gone the result for ids without a row
   */
  static Field<String> result(
      Table<?> changed,
      Enum<?> result,
      Table<?> locked,
      Enum<?> otherStatus,
      Enum<?> busy,
      Enum<?> gone) {
    return result(changed, result)
        .when(isIn(locked), literal(otherStatus))
        .when(exists(), literal(busy))
        .otherwise(literal(gone));
  }

  /** Selects {@code fields} for each given job, joined with its row in each of {@code tables}. */
  static SelectJoinStep<?> resultOfEach(
      WithStep with, List<? extends Field<?>> fields, CommonTableExpression<?>... tables) {
    SelectJoinStep<?> query = with.select(fields).from(GIVEN);
    for (CommonTableExpression<?> table : tables) {
      query = query.leftJoin(table).on(idOf(table).eq(ID));
    }
    return query;
  }

  static Condition isIn(Table<?> table) {
    return idOf(table).isNotNull();
  }

  /** Returns the condition that the given job has a row. */
  static Condition exists() {
    return Existence.exists(selectOne().from(JOBS).where(JOBS.ID.eq(ID)));
  }

  static Field<Long> idOf(Table<?> table) {
    return field(name(table.getName(), "id"), Long.class);
  }

  /** Returns the ordering key of the jobs of {@code changed}, for {@link KeyedResult}. */
  static Field<String> orderingKeyOf(Table<?> changed) {
    return field(name(changed.getName(), JOBS.ORDERING_KEY.getName()), String.class);
  }

  /** Returns the owner of the jobs of {@code changed}, for {@link KeyedResult}. */
  static Field<Long> ownerOf(Table<?> changed) {
    return field(name(changed.getName(), JOBS.OWNER_ID.getName()), Long.class);
  }

  static Field<JobStatus> statusOf(Table<?> table) {
    return field(name(table.getName(), "status"), JOBS.STATUS.getDataType());
  }

  static Field<String> literal(Enum<?> result) {
    return inline(result.name());
  }

  static Arguments arguments(List<JobId> jobs) {
    return new Arguments().bigints("ids", jobs, JobId::value);
  }
}
