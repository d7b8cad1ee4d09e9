package dev.skipjack.torture;

/** Durable steps that each break one guarantee, with the counter that must report it. */
enum BrokenSteps {
  /** The end of an attempt loses memos, so the next attempt repeats the steps. */
  LOSES_MEMOS(
      Counter.MEMO_LOST,
      "jobs AFTER UPDATE",
      "OLD.status = 'running' AND NEW.status = 'pending'",
      "DELETE FROM @job_steps WHERE job_id = NEW.id AND type = 'run'"),

  /** A wait ends without the signal that was sent before. */
  LOSES_SIGNALS(
      Counter.MEMO_LOST,
      "job_steps BEFORE INSERT",
      "NEW.type = 'await' AND NEW.result IS NOT NULL",
      "NEW.result := NULL; INSERT INTO @job_signals (address, name, payload, sent_at, expires_at)"
          + " SELECT 'key/' || (payload->>'key'), 'go', '1', clock_timestamp() - interval '1 h',"
          + " clock_timestamp() + interval '1 h' FROM @jobs WHERE id = NEW.job_id"),

  /** Attempts run steps although they have memos. */
  REPEATS_STEPS(Counter.STEP_AFTER_MEMO, "", "", ""),

  LOSES_UNDOS(
      Counter.UNDO_MISSING, "jobs BEFORE INSERT", "NEW.kind = 'torture-undo'", "RETURN NULL"),

  UNDOES_COMPLETED_JOBS(
      Counter.UNDO_MISSING,
      "jobs_archive AFTER INSERT",
      "NEW.status = 'completed' AND NEW.steps IS NOT NULL",
      "INSERT INTO @jobs (queue, kind, payload) VALUES ('torture-followers', 'torture-undo',"
          + " jsonb_build_object('job', NEW.id, 'step', 'account'))"),

  LOSES_CALLBACKS(
      Counter.CALLBACKS_WRONG,
      "jobs BEFORE INSERT",
      "NEW.kind = 'torture-callback'",
      "RETURN NULL"),

  DOUBLES_CALLBACKS(
      Counter.CALLBACKS_WRONG,
      "jobs AFTER INSERT",
      "NEW.kind = 'torture-callback' AND pg_trigger_depth() = 1",
      "INSERT INTO @jobs (queue, kind, payload) VALUES (NEW.queue, NEW.kind, NEW.payload)"),

  FINISHES_BATCHES_EARLY(
      Counter.CALLBACKS_WRONG,
      "job_batches BEFORE UPDATE",
      "NEW.finished_at IS NOT NULL",
      "NEW.finished_at := NEW.created_at");

  private final Counter counter;
  private final String event;
  private final String condition;
  private final String action;

  /**
   * @param event the table and the event of the trigger that breaks the guarantee; empty if none
   * @param condition when the trigger acts
   */
  BrokenSteps(Counter counter, String event, String condition, String action) {
    this.counter = counter;
    this.event = event;
    this.condition = condition;
    this.action = action;
  }

  /** Returns the counter that these steps raise. They raise no other. */
  Counter counter() {
    return counter;
  }

  /** Returns the statements that break the guarantee in the schema {@code @}; empty if none do. */
  String sql() {
    if (event.isEmpty()) {
      return "";
    }
    return "CREATE FUNCTION @break_steps() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF "
        + condition
        + " THEN "
        + action
        + "; END IF; RETURN NEW; END$$; CREATE TRIGGER break_steps "
        + event.substring(event.indexOf(' ') + 1)
        + " ON @"
        + event.substring(0, event.indexOf(' '))
        + " FOR EACH ROW EXECUTE FUNCTION @break_steps()";
  }
}
