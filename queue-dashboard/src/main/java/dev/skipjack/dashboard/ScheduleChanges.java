package dev.skipjack.dashboard;

import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import java.util.function.BiPredicate;

/** Changes of schedules. */
final class ScheduleChanges {

  private ScheduleChanges() {}

  static Link pause(Visit visit) {
    return change(visit, Schedules::pause, Note.SCHEDULE_PAUSED);
  }

  static Link resume(Visit visit) {
    return change(visit, Schedules::resume, Note.SCHEDULE_RESUMED);
  }

  static Link fire(Visit visit) {
    return change(visit, Schedules::fireNow, Note.SCHEDULE_FIRES);
  }

  private static Link change(Visit visit, BiPredicate<Schedules, String> change, Note done) {
    Schedules schedules = visit.services().schedules();
    String name = Session.target(visit.request());
    boolean found =
        schedules
                .findWithoutPayload(name)
                .map(ScheduleState::queue)
                .filter(visit.access()::sees)
                .isPresent()
            && change.test(schedules, name);
    return visit.link("/schedules").with("note", (found ? done : Note.NO_SCHEDULE).code());
  }
}
