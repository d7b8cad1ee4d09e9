package dev.skipjack.dashboard;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A message that is shown after a change. The address contains only its name, so that no address
 * can show another text.
 */
enum Note {
  ENQUEUED(true, "The job was enqueued."),
  CANCELLED(true, "The job was cancelled."),
  CANCEL_REQUESTED(true, "The job is running. Its worker has been asked to stop it."),
  REDRIVEN(true, "The job is pending again, with fresh attempts."),
  DUE_NOW(true, "The job is due now."),
  EDITED(true, "The job was changed."),
  PRUNED(true, "The job was deleted."),
  IS_DEAD(false, "The job is dead and was not changed. Redrive or prune it instead."),
  NOT_DEAD(false, "The job is no longer dead and was not changed."),
  NOT_PENDING(false, "The job is running or has ended, and was not changed."),
  CONFLICT(false, "Another job has taken the unique key, so the job remains dead."),
  BUSY(false, "Another transaction has locked the job. Nothing was changed; try again."),
  GONE(false, "The job has ended or was deleted. Nothing was changed."),
  QUEUE_PAUSED(true, "The queue is paused. Running jobs finish."),
  QUEUE_CONFIGURED(true, "The settings were changed."),
  QUEUE_RESUMED(true, "The queue is no longer paused."),
  LIMIT_SET(true, "The limit was changed. It applies to the next starts."),
  LIMIT_REMOVED(true, "The limit was removed."),
  LIMIT_RESET(true, "The rate begins again, and its throttles have ended."),
  NO_LIMIT(false, "There is no such limit any more."),
  GROUP_PAUSED(true, "The group is paused. Its running jobs finish."),
  GROUP_RESUMED(true, "The group is not paused."),
  GROUP_CONFIGURED(true, "The settings of the group were changed."),
  SCHEDULE_PAUSED(true, "The schedule is paused."),
  SCHEDULE_RESUMED(true, "The schedule is no longer paused."),
  SCHEDULE_FIRES(true, "A worker fires the schedule within moments."),
  NO_SCHEDULE(false, "There is no such schedule any more."),
  UNBLOCKED(true, "The key is no longer blocked. The next job runs without the dead one."),
  NOT_BLOCKED(false, "The key was no longer blocked by that job. Nothing was changed."),
  EVENTS_REDRIVEN(true, "Relays try the events again."),
  NO_EVENTS(false, "There was no dead event any more. Nothing was changed."),
  AGGREGATE_UNBLOCKED(true, "Relays publish the later events without the dead ones."),
  OPERATION_STARTED(true, "The operation runs. It goes on if you close this page."),
  OPERATION_STOPPED(true, "The operation stops after its current batch."),
  OPERATION_NOT_RUNNING(false, "The operation was not running. Nothing was changed.");

  private final boolean good;
  private final String sentence;

  Note(boolean good, String sentence) {
    this.good = good;
    this.sentence = sentence;
  }

  boolean isGood() {
    return good;
  }

  String sentence() {
    return sentence;
  }

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Note> of(Request request) {
    Optional<String> code = request.parameter("note");
    return code.flatMap(
        text -> Stream.of(values()).filter(note -> note.code().equals(text)).findFirst());
  }
}
