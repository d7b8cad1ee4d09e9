package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import java.util.List;
import org.jooq.CaseConditionStep;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.SelectSeekStep1;
import org.jooq.Table;

/**
 * What the statements share that a person's commands run on jobs named by their ids: the input, the
 * lock, the answer for each.
 *
 * <p>Rows are locked in id order and without waiting, as all writes of many rows are; one that
 * somebody holds is answered as busy and asked for again by the caller. {@link AttemptCtes} gives
 * the reason for the two strengths of the lock.
 */
final class JobRows {

  private static final Param<Long[]> IDS = param("ids", Long[].class);
  private static final ArrayRows ROWS = ArrayRows.named("given").column("id", IDS).withPosition();

  /** The input: {@code given(id, position)}. */
  static final Table<?> GIVEN = ROWS.table();

  static final Field<Long> ID = ROWS.field("id", Long.class);
  static final Field<Long> POSITION = ROWS.field("position", Long.class);

  private JobRows() {}

  /** The given jobs whose row no other transaction holds, for a delete, as {@code locked}. */
  static CommonTableExpression<?> locked(Field<?>... columns) {
    return name("locked").asMaterialized(given(columns).forUpdate().skipLocked());
  }

  /** As {@link #locked}, but strong enough for updates only. */
  static CommonTableExpression<?> lockedForUpdateOnly(Field<?>... columns) {
    return name("locked").asMaterialized(given(columns).forNoKeyUpdate().skipLocked());
  }

  private static SelectSeekStep1<?, Long> given(Field<?>... columns) {
    return select(columns).from(JOBS).where(JOBS.ID.eq(any(IDS))).orderBy(JOBS.ID);
  }

  /** Begins the answer for a given job: {@code CASE WHEN table.id IS NOT NULL THEN 'result'}. */
  static CaseConditionStep<String> answer(Table<?> table, Enum<?> result) {
    return when(isIn(table), literal(result));
  }

  static Condition isIn(Table<?> table) {
    return idOf(table).isNotNull();
  }

  /** Whether the given job's row is there at all. */
  static Condition exists() {
    return org.jooq.impl.DSL.exists(selectOne().from(JOBS).where(JOBS.ID.eq(ID)));
  }

  static Condition joins(Table<?> table) {
    return idOf(table).eq(ID);
  }

  static Field<Long> idOf(Table<?> table) {
    return field(name(table.getName(), "id"), Long.class);
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
