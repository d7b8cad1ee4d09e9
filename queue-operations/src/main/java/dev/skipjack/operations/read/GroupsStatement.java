package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_GROUPS;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.jooq.DSLContext;

/**
 * Lists the groups of a queue that have settings of their own: {@code SELECT ... FROM job_groups
 * WHERE queue = :queue ORDER BY group_key LIMIT 1000}. Locks nothing.
 */
final class GroupsStatement {

  private GroupsStatement() {}

  static Statement<String, GroupState> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(
                JOB_GROUPS.QUEUE,
                JOB_GROUPS.GROUP_KEY,
                JOB_GROUPS.WEIGHT,
                JOB_GROUPS.MAX_RUNNING,
                JOB_GROUPS.PAUSED_AT,
                JOB_GROUPS.UPDATED_AT)
            .from(JOB_GROUPS)
            .where(JOB_GROUPS.QUEUE.eq(Texts.param("queue")))
            .orderBy(JOB_GROUPS.GROUP_KEY)
            .limit(inline(ReadBounds.JOB_GROUPS)),
        queue -> new Arguments().text("queue", queue),
        GroupsStatement::read);
  }

  private static GroupState read(Row row) throws SQLException {
    Integer most = row.integerOrNull(JOB_GROUPS.MAX_RUNNING);
    return new GroupState(
        row.text(JOB_GROUPS.QUEUE),
        row.text(JOB_GROUPS.GROUP_KEY),
        new GroupSettings(
            row.integer(JOB_GROUPS.WEIGHT),
            most == null ? OptionalInt.empty() : OptionalInt.of(most)),
        row.instantOrNull(JOB_GROUPS.PAUSED_AT),
        row.instant(JOB_GROUPS.UPDATED_AT));
  }
}
