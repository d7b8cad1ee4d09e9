package dev.skipjack.dashboard;

import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Changes of schedules. */
final class ScheduleChanges {

  private ScheduleChanges() {}

  static Link pause(Visit visit) {
    return change(visit, "pause_schedule", Schedules::pause, Note.SCHEDULE_PAUSED);
  }

  static Link resume(Visit visit) {
    return change(visit, "resume_schedule", Schedules::resume, Note.SCHEDULE_RESUMED);
  }

  static Link fire(Visit visit) {
    return change(visit, "fire_schedule", Schedules::fireNow, Note.SCHEDULE_FIRES);
  }

  private static Link change(
      Visit visit, String action, BiPredicate<Schedules, String> change, Note done) {
    Schedules schedules = visit.services().schedules();
    String name = Session.target(visit.request());
    Optional<String> queue =
        schedules
            .findWithoutPayload(name)
            .map(ScheduleState::queue)
            .filter(visit.access()::sees)
            .filter(found -> change.test(schedules, name));
    queue.ifPresent(of -> visit.record(action, of, name));
    Note note = queue.isPresent() ? done : Note.NO_SCHEDULE;
    return visit.link("/schedules").with("note", note.code());
  }
}
