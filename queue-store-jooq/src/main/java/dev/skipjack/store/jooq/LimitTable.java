package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.LimitColumns;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code job_limits}. A change waits for the claims under the limit that have
 * begun. Later claims claim nothing under the limit until the change has ended.
 */
final class LimitTable {

  private static final String FOREIGN_KEY_VIOLATION = "23503";

  private final OwnTransactions transactions;
  private final RareStatements statements;
  private final Statement<String, Limit> find;

  LimitTable(OwnTransactions transactions, RareStatements statements, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.statements = statements;
    this.find = Statement.lazily(() -> find(dialect.get()));
  }

  private static Statement<String, Limit> find(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(LimitColumns.ALL).from(JOB_LIMITS).where(JOB_LIMITS.NAME.eq(Texts.param("name"))),
        name -> new Arguments().text("name", name),
        LimitColumns::read);
  }

  void put(String name, Limit limit) {
    Map<Field<?>, @Nullable Object> row = row(limit);
    statements.runLocked(
        name,
        dsl ->
            dsl.insertInto(JOB_LIMITS)
                .set(JOB_LIMITS.NAME, name)
                .set(row)
                .onConflict(JOB_LIMITS.NAME)
                .doUpdate()
                .set(row)
                .set(JOB_LIMITS.UPDATED_AT, DatabaseClock.NOW)
                .execute());
  }

  /** Inserts a limit. Returns false if it exists. */
  boolean declare(String name, Limit limit) {
    return 1
        == statements.run(
            dsl ->
                dsl.insertInto(JOB_LIMITS)
                    .set(JOB_LIMITS.NAME, name)
                    .set(row(limit))
                    .onConflictDoNothing()
                    .execute());
  }

  /** Deletes a limit and its used rates. Returns whether it existed. */
  boolean remove(String name) {
    try {
      return statements.runLocked(
          name,
          dsl -> {
            int removed = dsl.deleteFrom(JOB_LIMITS).where(JOB_LIMITS.NAME.eq(name)).execute();
            dsl.deleteFrom(JOB_RATE_USES).where(JOB_RATE_USES.LIMIT_NAME.eq(name)).execute();
            return removed == 1;
          });
    } catch (StoreException failure) {
      throw isForeignKeyViolation(failure)
          ? new QueueException(
              "Limit '%s' was not removed, because these queues obey it: %s. Configure them without it first."
                  .formatted(name, String.join(", ", queuesOf(name))),
              failure)
          : failure;
    }
  }

  /**
   * Deletes the used rates of a limit. Every claim that has counted them has ended before, because
   * the change waits for it.
   */
  boolean reset(String name) {
    return statements.runLocked(
        name,
        dsl -> {
          boolean exists = dsl.fetchExists(JOB_LIMITS, JOB_LIMITS.NAME.eq(name));
          dsl.deleteFrom(JOB_RATE_USES).where(JOB_RATE_USES.LIMIT_NAME.eq(name)).execute();
          return exists;
        });
  }

  static boolean isForeignKeyViolation(StoreException failure) {
    return failure.sqlState().filter(FOREIGN_KEY_VIOLATION::equals).isPresent();
  }

  private List<String> queuesOf(String name) {
    return statements.run(
        dsl ->
            dsl.select(JOB_QUEUES.QUEUE)
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.LIMIT_NAME.eq(name))
                .orderBy(JOB_QUEUES.QUEUE)
                .limit(20)
                .fetch(JOB_QUEUES.QUEUE));
  }

  Optional<Limit> find(String name) {
    return transactions.run(find, name).stream().findFirst();
  }

  private static Map<Field<?>, @Nullable Object> row(Limit limit) {
    @Nullable Rate rate = limit.rate().orElse(null);
    Map<Field<?>, @Nullable Object> row = new HashMap<>();
    row.put(JOB_LIMITS.MAX_RUNNING, orNull(limit.maxRunning()));
    row.put(JOB_LIMITS.MAX_RUNNING_PER_GROUP, orNull(limit.maxRunningPerGroup()));
    row.put(JOB_LIMITS.RATE_COUNT, rate == null ? null : rate.count());
    row.put(
        JOB_LIMITS.RATE_PERIOD,
        DatabaseClock.interval(
            val(rate == null ? null : DatabaseClock.micros(rate.period()), SQLDataType.BIGINT)));
    row.put(JOB_LIMITS.RATE_KIND, (rate == null ? Rate.Kind.BUCKET : rate.kind()).literal());
    row.put(
        JOB_LIMITS.RATE_BURST,
        rate == null || rate.kind() != Rate.Kind.BUCKET ? null : rate.burst());
    row.put(JOB_LIMITS.RATE_PER_GROUP, rate != null && rate.isPerGroup());
    return row;
  }

  private static @Nullable Integer orNull(OptionalInt number) {
    return number.isPresent() ? (Integer) number.getAsInt() : null;
  }
}
