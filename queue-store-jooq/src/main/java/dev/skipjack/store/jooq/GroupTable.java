package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_GROUPS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.val;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.sql.DatabaseClock;
import java.util.Optional;
import java.util.OptionalInt;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code job_groups}, which has a row for each group that operators treat
 * differently. Refuses settings that workers would not read, because the queue neither is fair nor
 * has a limit. A later change of the queue can still make settings ineffective; the doctor reports
 * these.
 */
final class GroupTable {

  private final RareStatements statements;

  GroupTable(RareStatements statements) {
    this.statements = statements;
  }

  void configure(String queue, String group, GroupSettings settings) {
    OptionalInt most = settings.maxRunning();
    Field<Integer> maxRunning =
        val(most.isPresent() ? (Integer) most.getAsInt() : null, JOB_GROUPS.MAX_RUNNING);
    statements.run(
        dsl -> {
          boolean isLimited = requireGroups(dsl, queue, group, "configured");
          if (most.isPresent() && !isLimited) {
            throw new QueueException(
                "Max running %d of group '%s' was not set, because queue '%s' has no limit and it would not be enforced. Configure the queue with QueueSettings.limitedBy(name) first."
                    .formatted(most.getAsInt(), group, queue),
                null);
          }
          return dsl.insertInto(JOB_GROUPS)
              .set(JOB_GROUPS.QUEUE, queue)
              .set(JOB_GROUPS.GROUP_KEY, group)
              .set(JOB_GROUPS.WEIGHT, settings.weight())
              .set(JOB_GROUPS.MAX_RUNNING, maxRunning)
              .onConflict(JOB_GROUPS.QUEUE, JOB_GROUPS.GROUP_KEY)
              .doUpdate()
              .set(JOB_GROUPS.WEIGHT, settings.weight())
              .set(JOB_GROUPS.MAX_RUNNING, maxRunning)
              .set(JOB_GROUPS.UPDATED_AT, DatabaseClock.NOW)
              .execute();
        });
  }

  Optional<GroupSettings> find(String queue, String group) {
    return statements.run(
        dsl ->
            dsl.select(JOB_GROUPS.WEIGHT, JOB_GROUPS.MAX_RUNNING)
                .from(JOB_GROUPS)
                .where(JOB_GROUPS.QUEUE.eq(queue))
                .and(JOB_GROUPS.GROUP_KEY.eq(group))
                .fetchOptional()
                .map(row -> new GroupSettings(row.value1(), number(row.value2()))));
  }

  void pause(String queue, String group) {
    statements.run(
        dsl -> {
          requireGroups(dsl, queue, group, "paused");
          return dsl.insertInto(JOB_GROUPS)
              .set(JOB_GROUPS.QUEUE, queue)
              .set(JOB_GROUPS.GROUP_KEY, group)
              .set(JOB_GROUPS.PAUSED_AT, DatabaseClock.NOW)
              .onConflict(JOB_GROUPS.QUEUE, JOB_GROUPS.GROUP_KEY)
              .doUpdate()
              .set(JOB_GROUPS.PAUSED_AT, excluded(JOB_GROUPS.PAUSED_AT))
              .set(JOB_GROUPS.UPDATED_AT, DatabaseClock.NOW)
              .where(JOB_GROUPS.PAUSED_AT.isNull())
              .execute();
        });
  }

  void resume(String queue, String group) {
    statements.run(
        dsl ->
            dsl.update(JOB_GROUPS)
                .setNull(JOB_GROUPS.PAUSED_AT)
                .set(JOB_GROUPS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOB_GROUPS.QUEUE.eq(queue))
                .and(JOB_GROUPS.GROUP_KEY.eq(group))
                .and(JOB_GROUPS.PAUSED_AT.isNotNull())
                .execute());
  }

  /**
   * Requires that workers read the groups of a queue. Locks its limit, and returns whether it has
   * one.
   */
  private static boolean requireGroups(DSLContext dsl, String queue, String group, String change) {
    @Nullable Record2<Boolean, String> settings =
        dsl.select(JOB_QUEUES.FAIR, JOB_QUEUES.LIMIT_NAME)
            .from(JOB_QUEUES)
            .where(JOB_QUEUES.QUEUE.eq(queue))
            .fetchOne();
    boolean isLimited = settings != null && settings.value2() != null;
    if (settings == null || !(settings.value1() || isLimited)) {
      throw new QueueException(
          "Group '%s' was not %s, because queue '%s' neither is fair nor has a limit, so workers do not read its groups. Configure the queue with QueueSettings.fair() or limitedBy(name) first."
              .formatted(group, change, queue),
          null);
    }
    if (settings.value2() != null) {
      RareStatements.lock(dsl, settings.value2());
    }
    return isLimited;
  }

  private static OptionalInt number(@Nullable Integer number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }
}
