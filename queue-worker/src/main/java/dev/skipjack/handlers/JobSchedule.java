package dev.skipjack.handlers;

import dev.skipjack.api.schedule.CronTiming;
import dev.skipjack.api.schedule.Overlap;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a schedule, which enqueues the jobs that the annotated handler runs.
 *
 * <pre>{@code
 * @JobHandler(kind = "delete-expired-sessions")
 * @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin")
 * void deleteExpiredSessions() { ... }
 * }</pre>
 *
 * <p>Belongs on a method with {@link JobHandler}. The method takes no payload, or one that can be
 * created without data, such as a record without components. {@link
 * dev.skipjack.worker.JobContext#scheduledFor} returns the planned time. Set either {@link #cron}
 * or {@link #every}.
 *
 * <p>With any number of workers, each planned time enqueues at most one job. For payloads with data
 * and for all other settings, declare a {@link dev.skipjack.api.schedule.Schedule} with {@link
 * dev.skipjack.worker.Worker.Builder#schedule} instead.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobSchedule {

  /**
   * The value of {@link #cron} or {@link #every} that disables the declaration of the schedule. A
   * schedule that is already in the database stays there, because another program may need it, and
   * fires until it is paused or retired.
   */
  String DISABLED = "-";

  /**
   * {@return the cron expression, with five fields, or with six, of which the first is for seconds}
   * See {@link CronTiming}.
   */
  String cron() default "";

  /**
   * {@return the interval, aligned to the epoch: a whole number followed by {@code s}, {@code m},
   * {@code h} or {@code d}, as in {@code 5m}, or an ISO 8601 duration, as in {@code PT1H30M}}
   */
  String every() default "";

  /** {@return the time zone of the cron expression, such as {@code Europe/Berlin}} Default: UTC. */
  String zone() default "";

  /**
   * {@return the name, which identifies the schedule in the database} A different name is a
   * different schedule. Default: the kind of the handler.
   */
  String name() default "";

  /**
   * {@return what happens at a planned time while an earlier job of the schedule is still live}
   * Default: another job is enqueued.
   */
  Overlap overlap() default Overlap.ALLOW;
}
