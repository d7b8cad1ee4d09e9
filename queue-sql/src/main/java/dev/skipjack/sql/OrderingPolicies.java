package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.OrderingPolicy;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/** The policy for the jobs behind a dead job. */
public final class OrderingPolicies {

  private OrderingPolicies() {}

  /**
   * {@return the policy that applies to a dead job: the policy of its queue, otherwise its own,
   * otherwise {@code block}}
   *
   * @param queue the queue
   * @param ofJob the policy of the job
   */
  public static Field<String> of(Field<String> queue, Field<String> ofJob) {
    return coalesce(
        field(
            select(JOB_QUEUES.ORDERING_POLICY.coerce(SQLDataType.CLOB))
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.QUEUE.eq(queue))),
        ofJob,
        inline(OrderingPolicy.BLOCK.literal()));
  }
}
