package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Schedule;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.time.DateTimeException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the schedules of handlers. The messages of its exceptions continue a sentence that begins
 * with the handler.
 *
 * @param texts resolves the texts of the annotations
 */
record ScheduleMaker(UnaryOperator<String> texts) {

  /**
   * Returns the schedule that an annotation declares, or null if it is disabled.
   *
   * @throws IllegalArgumentException if the annotation is incorrect
   */
  @Nullable Schedule make(JobSchedule settings, JobType<?> type) {
    return schedule(settings, type);
  }

  private <T> @Nullable Schedule schedule(JobSchedule settings, JobType<T> type) {
    T payload = payload(type.payloadClass());
    String cron = texts.apply(settings.cron());
    String every = texts.apply(settings.every());
    if (cron.isEmpty() == every.isEmpty()) {
      throw new IllegalArgumentException(
          "has a schedule with cron = \"%s\" and every = \"%s\". Set one of them."
              .formatted(cron, every));
    }
    if (cron.equals(JobSchedule.DISABLED) || every.equals(JobSchedule.DISABLED)) {
      return null;
    }
    try {
      Schedule.Unnamed timing =
          every.isEmpty() ? Schedule.cron(cron) : Schedule.every(DurationText.parse(every));
      String zone = texts.apply(settings.zone());
      return (zone.isEmpty() ? timing : timing.zone(zone))
          .named(settings.name().isEmpty() ? type.kind() : settings.name())
          .enqueue(type, payload)
          .overlap(settings.overlap());
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException wrong) {
      throw new IllegalArgumentException("has an invalid schedule. " + wrong.getMessage(), wrong);
    }
  }

  private static <T> T payload(Class<T> type) {
    try {
      Constructor<T> constructor = type.getDeclaredConstructor();
      if (constructor.trySetAccessible()) {
        return constructor.newInstance();
      }
    } catch (InvocationTargetException failed) {
      throw new IllegalArgumentException(
          "has a schedule, but the constructor of its payload class %s throws %s. Fix the constructor."
              .formatted(type.getName(), failed.getCause()),
          failed);
    } catch (ReflectiveOperationException absent) {
      // Reported below, like a constructor that is not accessible.
    }
    throw new IllegalArgumentException(
        "has a schedule, but its payload class %s has no accessible constructor without parameters. Remove the payload parameter, take a record without components, or remove @JobSchedule and declare a Schedule with the payload."
            .formatted(type.getName()));
  }
}
