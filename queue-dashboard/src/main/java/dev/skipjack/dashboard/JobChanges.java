package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import java.time.Duration;
import java.util.List;

/** Changes of one job. Each returns the job's page, which shows the result. */
final class JobChanges {

  private JobChanges() {}

  /** Returns the job of the path, if the visitor may see its queue. */
  private static JobId required(Visit visit) {
    JobId id = visit.job();
    var panel = visit.reads().job(id).panel();
    var found = panel.value();
    if (found == null) {
      throw new Refusal(503, "Job %s could not be read. %s".formatted(id, panel.problem()));
    }
    if (found.isEmpty()) {
      throw JobScreen.notFound(id);
    }
    return id;
  }

  private static Link page(JobId id, Note note, Visit visit) {
    return visit.link("/jobs/" + id).with("note", note.code());
  }

  static Link cancel(Visit visit) {
    JobId id = required(visit);
    CancelResult result = visit.admin().cancel(List.of(id)).get(0);
    return page(
        id,
        switch (result) {
          case CANCELLED -> Note.CANCELLED;
          case REQUESTED -> Note.CANCEL_REQUESTED;
          case DEAD -> Note.IS_DEAD;
          case BUSY -> Note.BUSY;
          case GONE -> Note.GONE;
        },
        visit);
  }

  static Link redrive(Visit visit) {
    JobId id = required(visit);
    return page(id, note(visit.admin().redrive(List.of(id)).get(0)), visit);
  }

  private static Note note(RedriveResult result) {
    if (result instanceof RedriveResult.Redriven) {
      return Note.REDRIVEN;
    }
    if (result instanceof RedriveResult.Conflict) {
      return Note.CONFLICT;
    }
    if (result instanceof RedriveResult.NotDead) {
      return Note.NOT_DEAD;
    }
    return result instanceof RedriveResult.Busy ? Note.BUSY : Note.GONE;
  }

  static Link runNow(Visit visit) {
    JobId id = required(visit);
    return page(
        id,
        note(visit.admin().edit(id, JobEdit.nothing().delay(Duration.ZERO)), Note.DUE_NOW),
        visit);
  }

  private static Note note(EditResult result, Note done) {
    return switch (result) {
      case EDITED -> done;
      case NOT_PENDING -> Note.NOT_PENDING;
      case BUSY -> Note.BUSY;
      case GONE -> Note.GONE;
    };
  }

  static Link edit(Visit visit) {
    JobId id = required(visit);
    Request request = visit.request();
    JobEdit edit = JobEdit.nothing();
    String priority = request.field("priority").orElse("").strip();
    if (!priority.isEmpty()) {
      edit = edit.priority(Fields.number(priority, "The priority"));
    }
    String at = request.field("at").orElse("").strip();
    if (!at.isEmpty()) {
      edit = edit.at(Fields.time(at));
    }
    String payload = request.field("payload").orElse("").strip();
    if (!payload.isEmpty()) {
      if (!visit.access().payloads()) {
        throw Refusal.forbidden("You may not see payloads, so you may not change them.");
      }
      edit = edit.payload(payload);
    }
    return page(id, note(visit.admin().edit(id, edit), Note.EDITED), visit);
  }

  static Link prune(Visit visit) {
    JobId id = required(visit);
    PruneResult result = visit.admin().prune(List.of(id)).get(0);
    if (result == PruneResult.PRUNED) {
      return visit.link("/dead").with("note", Note.PRUNED.code());
    }
    return page(
        id,
        switch (result) {
          case PRUNED -> Note.PRUNED;
          case NOT_DEAD -> Note.NOT_DEAD;
          case BUSY -> Note.BUSY;
          case GONE -> Note.GONE;
        },
        visit);
  }
}
