package dev.skipjack.torture;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds lost memos and signals, steps that ran again after their memo, missing undos, and callbacks
 * of batches that are missing, doubled or too early. Compares tables only.
 */
final class StepCheck {

  /** The jobs with steps, the memos of live and ended jobs, and the jobs that follow them. */
  private static final String ROWS =
      """
      WITH ends AS MATERIALIZED (
        SELECT id, status::text AS status, payload->>'key' AS key FROM @jobs WHERE payload->>'workload' = 'STEPS'
        UNION ALL
        SELECT id, status::text, payload->>'key' FROM @jobs_archive WHERE payload->>'workload' = 'STEPS'),
      memos AS MATERIALIZED (
        SELECT job_id, name::text AS name, execution_id AS execution, result #>> '{}' AS result, undo_kind IS NOT NULL AS undoable, at FROM @job_steps
        UNION ALL
        SELECT id, memo->>'name', (memo->>'execution')::bigint, memo->>'result', memo->>'undoKind' IS NOT NULL, (memo->>'at')::timestamptz
          FROM @jobs_archive CROSS JOIN jsonb_array_elements(steps) AS memo),
      followers AS MATERIALIZED (
        SELECT id, kind::text AS kind, payload, NULL::timestamptz AS finished_at FROM @jobs WHERE queue = 'torture-followers'
        UNION ALL
        SELECT id, kind, payload, finished_at FROM @jobs_archive WHERE queue = 'torture-followers')
      """;

  private static final List<String> MEMO_LOST =
      List.of(
          """
          SELECT id, key, 'The job is completed, but the memo of ' || step || ' is missing.'
            FROM ends CROSS JOIN unnest(ARRAY['account', 'ledger', 'go', 'shipment']) AS step
           WHERE status = 'completed' AND NOT EXISTS (SELECT FROM memos WHERE job_id = id AND name = step)""",
          """
          SELECT ends.id, key, format('The step in a transaction has a memo, but took effect %s times.', count(runs.job_id))
            FROM ends JOIN memos ON memos.job_id = ends.id AND name = 'ledger'
            LEFT JOIN @torture_step_runs AS runs ON runs.job_id = ends.id AND step = 'ledger'
           GROUP BY ends.id, key HAVING count(runs.job_id) <> 1""",
          """
          SELECT ends.id, key, format('A step saw "%s" as an earlier result, but its memo is "%s".', runs.seen, account.result)
            FROM ends JOIN memos AS account ON account.job_id = ends.id AND account.name = 'account'
            JOIN @torture_step_runs AS runs ON runs.job_id = ends.id AND runs.step IN ('ledger', 'shipment')
            LEFT JOIN memos AS go ON go.job_id = ends.id AND go.name = 'go'
           WHERE runs.seen <> CASE step WHEN 'ledger' THEN account.result ELSE account.result || '/' || coalesce(go.result, 'none') END
             AND EXISTS (SELECT FROM memos WHERE memos.job_id = ends.id AND memos.name = step AND memos.execution = runs.execution_id)""",
          // A transaction may commit a signal later than it has written it.
          """
          SELECT ends.id, key, 'The job continued without the signal that was sent in time.'
            FROM ends JOIN memos ON memos.job_id = ends.id AND name = 'go' AND result IS NULL
            JOIN @job_signals AS sent ON sent.address = 'key/' || key AND sent.sent_at < at - interval '5 s'""");

  private static final List<String> STEP_AFTER_MEMO =
      List.of(
          """
          SELECT DISTINCT ends.id, key, 'The step ' || step || ' ran in an attempt after the one that recorded its memo.'
            FROM ends JOIN @torture_step_runs AS runs ON runs.job_id = ends.id
            JOIN memos ON memos.job_id = ends.id AND name = step WHERE runs.execution_id > execution""");

  private static final List<String> UNDO_MISSING =
      List.of(
          """
          SELECT ends.id, key, format('The job is %s, but step %s has %s undos.', status, name, count(followers.id))
            FROM ends JOIN memos ON memos.job_id = ends.id AND undoable
            LEFT JOIN followers ON kind = 'torture-undo' AND (payload->>'job')::bigint = ends.id AND payload->>'step' = name
           GROUP BY ends.id, key, status, name HAVING count(followers.id) <> CASE WHEN status IN ('dead', 'cancelled') THEN 1 ELSE 0 END""",
          """
          SELECT ends.id, key, 'A step was undone before a later one.' FROM ends
            JOIN followers AS first ON first.kind = 'torture-undo' AND (first.payload->>'job')::bigint = ends.id AND first.payload->>'step' = 'shipment'
            JOIN followers AS last ON last.kind = 'torture-undo' AND (last.payload->>'job')::bigint = ends.id AND last.payload->>'step' = 'account'
           WHERE last.finished_at < first.finished_at""");

  private static final List<String> CALLBACKS_WRONG =
      List.of(
          """
          SELECT batch.id, name, format('The batch was sealed, and has %s callbacks.', count(followers.id)) FROM @job_batches AS batch
            LEFT JOIN followers ON kind = 'torture-callback' AND (payload->>'batch')::bigint = batch.id
           WHERE sealed_at IS NOT NULL AND name LIKE 'torture-batch-%' GROUP BY batch.id, name HAVING count(followers.id) <> 1""",
          """
          SELECT batch.id, name, 'The batch finished before its last job had ended.' FROM @job_batches AS batch
           WHERE EXISTS (SELECT FROM @jobs_archive WHERE owner_id = batch.id AND jobs_archive.finished_at > batch.finished_at)
              OR EXISTS (SELECT FROM @jobs WHERE owner_id = batch.id AND coalesce(died_at, 'infinity') > batch.finished_at)""");

  private StepCheck() {}

  /**
   * Reads the violations.
   *
   * @param schema the schema of the queue
   */
  static List<Violation> read(Statement statement, String schema) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    read(statement, schema, Counter.MEMO_LOST, MEMO_LOST, violations);
    read(statement, schema, Counter.STEP_AFTER_MEMO, STEP_AFTER_MEMO, violations);
    read(statement, schema, Counter.UNDO_MISSING, UNDO_MISSING, violations);
    read(statement, schema, Counter.CALLBACKS_WRONG, CALLBACKS_WRONG, violations);
    return violations;
  }

  private static void read(
      Statement statement,
      String schema,
      Counter counter,
      List<String> queries,
      List<Violation> violations)
      throws SQLException {
    for (String query : queries) {
      try (ResultSet row = statement.executeQuery((ROWS + query).replace("@", schema + "."))) {
        while (row.next()) {
          violations.add(
              new Violation(counter, row.getLong(1), row.getString(2), row.getString(3)));
        }
      }
    }
  }
}
