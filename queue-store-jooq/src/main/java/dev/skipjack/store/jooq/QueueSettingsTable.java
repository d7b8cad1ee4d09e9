package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.model.tables.records.JobQueuesRecord;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.PausePredicates;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.InsertOnDuplicateSetMoreStep;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@code job_queues}, which has at most one row per queue. */
final class QueueSettingsTable {

  /**
   * The condition that a queue has never been configured, neither by this class nor by SQL: its row
   * only records a pause.
   */
  private static final Condition UNCONFIGURED =
      JOB_QUEUES
          .CONFIGURED_AT
          .isNull()
          .and(JOB_QUEUES.FAIR.isFalse())
          .and(JOB_QUEUES.LIMIT_NAME.isNull())
          .and(JOB_QUEUES.ARCHIVE_RETENTION.isNull())
          .and(JOB_QUEUES.DEAD_RETENTION.isNull())
          .and(JOB_QUEUES.DEFAULT_PRIORITY.isNull())
          .and(JOB_QUEUES.DEFAULT_MAX_ATTEMPTS.isNull())
          .and(JOB_QUEUES.ORDERING_POLICY.isNull());

  private final RareStatements statements;

  QueueSettingsTable(RareStatements statements) {
    this.statements = statements;
  }

  /**
   * Pauses the queue. A pause that already lasts at least as long is not changed, because another
   * caller may have requested it.
   */
  void pause(String queue, QueuePause pause) {
    Duration duration = pause.duration();
    Field<Instant> until =
        duration == null
            ? castNull(JOB_QUEUES.PAUSED_UNTIL)
            : DatabaseClock.plusMicros(DatabaseClock.NOW, val(DatabaseClock.micros(duration)));
    Field<Instant> wanted = excluded(JOB_QUEUES.PAUSED_UNTIL);
    Condition endsEarlier =
        JOB_QUEUES
            .PAUSED_UNTIL
            .isNotNull()
            .and(wanted.isNull().or(JOB_QUEUES.PAUSED_UNTIL.lt(wanted)));
    statements.run(
        dsl ->
            dsl.insertInto(
                    JOB_QUEUES,
                    JOB_QUEUES.QUEUE,
                    JOB_QUEUES.PAUSED_AT,
                    JOB_QUEUES.PAUSED_UNTIL,
                    JOB_QUEUES.PAUSED_BY,
                    JOB_QUEUES.PAUSE_REASON)
                .select(
                    select(
                        val(queue),
                        DatabaseClock.NOW,
                        until,
                        val(pause.actor(), JOB_QUEUES.PAUSED_BY),
                        val(pause.reason(), JOB_QUEUES.PAUSE_REASON)))
                .onConflict(JOB_QUEUES.QUEUE)
                .doUpdate()
                .set(
                    JOB_QUEUES.PAUSED_AT,
                    when(PausePredicates.PAUSED, JOB_QUEUES.PAUSED_AT)
                        .otherwise(excluded(JOB_QUEUES.PAUSED_AT)))
                .set(JOB_QUEUES.PAUSED_UNTIL, wanted)
                .set(JOB_QUEUES.PAUSED_BY, excluded(JOB_QUEUES.PAUSED_BY))
                .set(JOB_QUEUES.PAUSE_REASON, excluded(JOB_QUEUES.PAUSE_REASON))
                .set(JOB_QUEUES.UPDATED_AT, DatabaseClock.NOW)
                .where(not(PausePredicates.PAUSED).or(endsEarlier))
                .execute());
  }

  void resume(String queue) {
    statements.run(
        dsl ->
            dsl.update(JOB_QUEUES)
                .setNull(JOB_QUEUES.PAUSED_AT)
                .setNull(JOB_QUEUES.PAUSED_UNTIL)
                .setNull(JOB_QUEUES.PAUSED_BY)
                .setNull(JOB_QUEUES.PAUSE_REASON)
                .set(JOB_QUEUES.UPDATED_AT, DatabaseClock.NOW)
                .where(JOB_QUEUES.QUEUE.eq(queue))
                .and(JOB_QUEUES.PAUSED_AT.isNotNull())
                .execute());
  }

  void configure(String queue, QueueSettings settings) {
    limited(
        queue,
        settings,
        () ->
            statements.run(
                dsl -> {
                  lockLimits(dsl, queue, settings);
                  return upsert(dsl, queue, settings).execute();
                }));
  }

  /** Sets the settings unless they have been set before. Returns whether they were set. */
  boolean declare(String queue, QueueSettings settings) {
    return 1
        == limited(
            queue,
            settings,
            () ->
                statements.run(dsl -> upsert(dsl, queue, settings).where(UNCONFIGURED).execute()));
  }

  /** Locks the limit that the queue has and the one that it gets, always in the same order. */
  private static void lockLimits(DSLContext dsl, String queue, QueueSettings settings) {
    NavigableSet<String> limits = new TreeSet<>();
    settings.limit().ifPresent(limits::add);
    dsl.select(JOB_QUEUES.LIMIT_NAME)
        .from(JOB_QUEUES)
        .where(JOB_QUEUES.QUEUE.eq(queue))
        .and(JOB_QUEUES.LIMIT_NAME.isNotNull())
        .forEach(row -> limits.add(row.value1()));
    limits.forEach(limit -> RareStatements.lock(dsl, limit));
  }

  private static InsertOnDuplicateSetMoreStep<JobQueuesRecord> upsert(
      DSLContext dsl, String queue, QueueSettings settings) {
    Map<Field<?>, Field<?>> row =
        Map.of(
            JOB_QUEUES.ARCHIVE_RETENTION,
            interval(settings.archiveRetention()),
            JOB_QUEUES.DEAD_RETENTION,
            interval(settings.deadRetention()),
            JOB_QUEUES.DEFAULT_PRIORITY,
            number(settings.defaultPriority(), SQLDataType.SMALLINT),
            JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
            number(settings.defaultMaxAttempts(), SQLDataType.INTEGER),
            JOB_QUEUES.ORDERING_POLICY,
            val(settings.orderingPolicy().orElse(null), JOB_QUEUES.ORDERING_POLICY),
            JOB_QUEUES.LIMIT_NAME,
            val(settings.limit().orElse(null), JOB_QUEUES.LIMIT_NAME),
            JOB_QUEUES.FAIR,
            val(settings.isFair(), JOB_QUEUES.FAIR),
            JOB_QUEUES.CONFIGURED_AT,
            DatabaseClock.NOW);
    return dsl.insertInto(JOB_QUEUES)
        .set(JOB_QUEUES.QUEUE, queue)
        .set(row)
        .onConflict(JOB_QUEUES.QUEUE)
        .doUpdate()
        .set(row)
        .set(JOB_QUEUES.UPDATED_AT, DatabaseClock.NOW);
  }

  private static int limited(String queue, QueueSettings settings, IntSupplier change) {
    try {
      return change.getAsInt();
    } catch (StoreException failure) {
      throw LimitTable.isForeignKeyViolation(failure)
          ? new QueueException(
              "Queue '%1$s' was not configured, because limit '%2$s' does not exist. Create it first, with QueueAdmin.limit(\"%2$s\", Limit) or declareLimit."
                  .formatted(queue, settings.limit().orElse("")),
              failure)
          : failure;
    }
  }

  Optional<QueueSettings> find(String queue) {
    Field<Long> archive = micros(JOB_QUEUES.ARCHIVE_RETENTION);
    Field<Long> dead = micros(JOB_QUEUES.DEAD_RETENTION);
    return statements.run(
        dsl ->
            dsl.select(
                    archive,
                    dead,
                    JOB_QUEUES.DEFAULT_PRIORITY,
                    JOB_QUEUES.DEFAULT_MAX_ATTEMPTS,
                    JOB_QUEUES.ORDERING_POLICY,
                    JOB_QUEUES.LIMIT_NAME,
                    JOB_QUEUES.FAIR)
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.QUEUE.eq(queue))
                .fetchOptional()
                .map(
                    row ->
                        new QueueSettings(
                            duration(row.get(archive)),
                            duration(row.get(dead)),
                            number(row.get(JOB_QUEUES.DEFAULT_PRIORITY)),
                            number(row.get(JOB_QUEUES.DEFAULT_MAX_ATTEMPTS)),
                            Optional.ofNullable(row.get(JOB_QUEUES.ORDERING_POLICY)),
                            Optional.ofNullable(row.get(JOB_QUEUES.LIMIT_NAME)),
                            row.get(JOB_QUEUES.FAIR))));
  }

  /**
   * Returns an interval that is passed as microseconds, because the session's IntervalStyle changes
   * how a text is parsed.
   */
  private static Field<?> interval(Optional<Duration> duration) {
    return DatabaseClock.interval(
        val(duration.map(DatabaseClock::micros).orElse(null), SQLDataType.BIGINT));
  }

  private static Field<?> number(OptionalInt number, DataType<?> type) {
    return val(number.isPresent() ? (Integer) number.getAsInt() : null, type);
  }

  /** Returns an interval in microseconds. PostgreSQL counts a month as 30 days. */
  private static Field<Long> micros(Field<?> interval) {
    return field("cast(extract(epoch from {0}) * 1000000 as bigint)", SQLDataType.BIGINT, interval);
  }

  private static Optional<Duration> duration(@Nullable Long micros) {
    return Optional.ofNullable(micros).map(count -> Duration.of(count, ChronoUnit.MICROS));
  }

  private static OptionalInt number(@Nullable Number number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number.intValue());
  }
}
