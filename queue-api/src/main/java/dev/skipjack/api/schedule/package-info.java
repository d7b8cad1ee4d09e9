/**
 * Schedules, which enqueue jobs at planned times.
 *
 * <p>A {@link dev.skipjack.api.schedule.Schedule} has a name, a timing, and the job that it
 * enqueues at each planned time. It also determines what happens to planned times that were missed,
 * and to those that arrive while an earlier job is still live. Applications declare schedules with
 * their workers or through {@link dev.skipjack.api.schedule.Schedules}, which operators also use to
 * change, pause and list them. Started workers fire schedules, that is, they enqueue the jobs. Each
 * such job carries a {@link dev.skipjack.api.schedule.ScheduledFire}, which contains the schedule's
 * name and the planned time.
 *
 * <p>A {@link dev.skipjack.api.schedule.Timing} consists of a cron expression or a fixed interval,
 * a time zone, and the dates on which it does not fire. It only calculates the next planned time
 * after a given instant, without reading a clock or using a database.
 *
 * <table>
 *   <caption>Planned times in Europe/Berlin on days on which the clocks change</caption>
 *   <tr><th>timing<th>2026-03-29, without 02:00 to 03:00<th>2026-10-25, with 02:00 to 03:00 twice
 *   <tr><td>{@code 30 2 * * *}<td>once, at 03:00<td>once, at the first 02:30
 *   <tr><td>{@code 0,30 2 * * *}<td>once, at 03:00<td>at the first 02:00 and the first 02:30
 *   <tr><td>{@code 30 2,3 * * *}<td>at 03:00 and 03:30<td>at the first 02:30 and at 03:30
 *   <tr><td>{@code 0 *}{@code /2 * * *}<td>12 times, at 03:00 for 02:00<td>12 times
 *   <tr><td>{@code *}{@code /15 0-4 * * *}<td>16 times<td>20 times
 *   <tr><td>{@code 0 * * * *}<td>23 times<td>25 times
 *   <tr><td>{@code *}{@code /15 * * * *}<td>92 times<td>100 times
 *   <tr><td>{@code every(ofHours(1))}<td>23 times<td>25 times
 * </table>
 *
 * <p>{@link dev.skipjack.api.schedule.CronTiming} documents the rules behind this table.
 */
@NullMarked
package dev.skipjack.api.schedule;

import org.jspecify.annotations.NullMarked;
