package dev.skipjack.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Writes odd values to each column of durable steps that a role may write. If the table accepts
 * them, the steps of other jobs still work, and so does the sweep.
 */
@QueueTest
class OddStepRowsTest {

  private static final JobType<String> FLOW = JobType.of("flow", String.class);

  private static final Map<String, List<String>> ODD =
      Map.of(
          "bigint", List.of("-1", "0", "9223372036854775807", "-9223372036854775808"),
          "integer", List.of("-1", "0", "2147483647", "-2147483648"),
          "text", List.of("''", "' '", "repeat('x', 2000000)", "chr(133)", "'undone'", "'key/'"),
          "timestamp with time zone",
              List.of("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-01-01'"),
          "jsonb",
              List.of(
                  "'null'",
                  "'1'",
                  "'[]'",
                  "'1e1000'",
                  "(repeat('[', 3000) || repeat(']', 3000))::jsonb",
                  "to_jsonb(repeat('x', 2000000))"));

  private static final Map<String, String> HEALTHY =
      Map.of(
          "job_steps",
          "INSERT INTO @job_steps (job_id, execution_id, position, type, name, result, undo_kind,"
              + " undo_queue, undo_payload, undo_payload_version) SELECT %d, 1, 1, 'run', 's', '1',"
              + " 'undo', 'odd', '{}', 1",
          "job_waits",
          "INSERT INTO @job_waits (job_id, ends_at, address, name) SELECT %d, now(), 'key/' || %1$d,"
              + " 'n'",
          "job_signals",
          "INSERT INTO @job_signals (expires_at, address, name, payload) SELECT now() + interval '1"
              + " day', 'key/' || %d, 'n', '{}'",
          "jobs",
          "INSERT INTO @jobs (id, kind, payload, queue, awaits, signals, status, scheduled_at) SELECT"
              + " %d, 'odd', '{}', 'odd', 'n', 1, 'pending', now() + interval '1 day'");

  @Test
  void oddRowsStopNoOtherJob(QueueDatabase database) {
    int id = 1_000_000;
    for (Map.Entry<String, String> table : HEALTHY.entrySet()) {
      for (String column :
          StepRows.query(
              database,
              "SELECT column_name || ' ' || data_type FROM information_schema.columns WHERE"
                  + " table_schema = ? AND table_name = ? AND (table_name <> 'jobs' OR"
                  + " column_name IN ('awaits', 'signals', 'owner_id'))",
              database.schema(),
              table.getKey())) {
        String name = column.substring(0, column.indexOf(' '));
        for (String odd : ODD.getOrDefault(column.substring(name.length() + 1), List.of())) {
          id++;
          StepRows.query(database, table.getValue().formatted(id));
          plant(database, table.getKey(), name, odd, id);
        }
        id++;
        StepRows.query(database, table.getValue().formatted(id));
        plant(database, table.getKey(), name, "NULL", id);
      }
    }

    JobQueue queue = JobQueue.on(database.dataSource());
    for (int i = 0; i < 16; i++) {
      queue.sweepers().forEach(sweeper -> sweeper.sweep());
    }
    JobId job = queue.enqueue(FLOW, "x");
    JobRuns runs =
        JobRuns.with(
            Worker.on(queue)
                .handle(
                    FLOW,
                    (payload, context) -> {
                      Steps steps = Steps.of(context);
                      steps.run("a", () -> {});
                      return Outcome.completed(
                          steps.await("n", String.class, Duration.ofDays(1)).orElse("none"));
                    })
                .queue("default", 1)
                .build(),
            database);
    runs.due();
    assertThat(Signals.on(queue).send(job, "n", "x")).isEqualTo(SignalResult.WOKEN);
    runs.due();
    assertThatJob(database, job).isCompleted();
  }

  /** Changes a row if the table accepts the value. */
  private static void plant(
      QueueDatabase database, String table, String column, String odd, int id) {
    String key =
        table.equals("jobs")
            ? "id = " + id
            : table.equals("job_signals") ? "address = 'key/" + id + "'" : "job_id = " + id;
    StepRows.query(
        database,
        """
        DO $$ BEGIN
          UPDATE @%s SET %s = %s WHERE %s;
        EXCEPTION WHEN check_violation OR not_null_violation OR invalid_parameter_value OR integrity_constraint_violation OR program_limit_exceeded OR data_exception THEN NULL;
        END $$
        """
            .formatted(table, column, odd, key));
  }
}
