package dev.skipjack.operations.bulk;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_CHANGES;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code job_changes}, which has one row for each single change that an operator
 * made with a name. Safe for any number of threads.
 */
public final class ChangeTable {

  private static final int LONGEST_ACTOR = 200;
  private static final int LONGEST_REASON = 1_000;

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;

  /**
   * Creates the table. Opens no connection.
   *
   * @param transactions runs the statements
   * @param dialect renders statements for the queue's schema, without a connection
   */
  public ChangeTable(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.dialect = dialect;
  }

  /**
   * The actor of changes, and the reason.
   *
   * @param actor the operator, from 1 to 200 characters
   * @param reason the reason, at most 1,000 characters; null if there is none
   */
  public record By(String actor, @Nullable String reason) {

    /**
     * Checks the texts.
     *
     * @param actor the operator
     * @param reason the reason
     * @throws IllegalArgumentException if the actor is blank, or a text is too long
     */
    public By {
      requireActor(actor);
      if (reason != null && reason.length() > LONGEST_REASON) {
        throw new IllegalArgumentException(
            "The reason has %d characters. Use at most %d."
                .formatted(reason.length(), LONGEST_REASON));
      }
    }
  }

  static void requireActor(String actor) {
    if (actor.isBlank() || actor.length() > LONGEST_ACTOR) {
      throw new IllegalArgumentException(
          "Actor '%s' must have 1 to %d characters and not be blank."
              .formatted(actor.substring(0, Math.min(80, actor.length())), LONGEST_ACTOR));
    }
  }

  /**
   * {@return the queues of those of the jobs that are live, by id}
   *
   * @param jobs the ids of the jobs
   */
  public Map<JobId, String> queuesOf(List<JobId> jobs) {
    return OperationTable.run(
        transactions,
        dialect,
        dsl ->
            dsl
                .select(JOBS.ID, JOBS.QUEUE)
                .from(JOBS)
                .where(JOBS.ID.in(jobs.stream().map(JobId::value).toList()))
                .fetch()
                .stream()
                .collect(Collectors.toMap(row -> new JobId(row.value1()), row -> row.value2())));
  }

  /**
   * Records a change.
   *
   * @param by the actor and the reason
   * @param action the change
   * @param queue the queue, or null
   * @param target what was changed
   */
  public void insert(By by, String action, @Nullable String queue, String target) {
    int unused =
        OperationTable.run(
            transactions,
            dialect,
            dsl ->
                dsl.insertInto(JOB_CHANGES)
                    .set(JOB_CHANGES.ACTOR, by.actor())
                    .set(JOB_CHANGES.REASON, by.reason())
                    .set(JOB_CHANGES.ACTION, action)
                    .set(JOB_CHANGES.QUEUE, queue)
                    .set(JOB_CHANGES.TARGET, target)
                    .execute());
  }

  List<JobChange> list(int limit) {
    return OperationTable.run(
        transactions,
        dialect,
        dsl ->
            dsl.selectFrom(JOB_CHANGES)
                .orderBy(JOB_CHANGES.ID.desc())
                .limit(limit)
                .fetch(
                    row ->
                        new JobChange(
                            row.getId(),
                            row.getChangedAt(),
                            row.getActor(),
                            row.getReason(),
                            row.getAction(),
                            row.getQueue(),
                            row.getTarget())));
  }
}
