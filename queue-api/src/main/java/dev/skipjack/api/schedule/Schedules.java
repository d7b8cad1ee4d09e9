package dev.skipjack.api.schedule;

import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import java.util.List;
import java.util.Optional;

/**
 * Declares, adds, changes and lists the schedules of a queue. Started workers fire them.
 *
 * <p>Each call runs its own short transactions and uses the database clock. Implementations are
 * thread-safe. Every method throws a {@link StoreException} if the database rejects a statement or
 * cannot be reached.
 */
public interface Schedules {

  /**
   * Declares a schedule in code, as {@link #declare(List)} does for several.
   *
   * @param schedule the schedule
   */
  default void declare(Schedule schedule) {
    declare(List.of(schedule));
  }

  /**
   * Declares schedules in code. New schedules are created, and those that differ from their last
   * declaration are replaced. Changes that operators have made at run time, that is, a different
   * timing or a pause, remain in effect unless the declaration is {@linkplain
   * Schedule#authoritative authoritative}. If an operator has added a schedule with the same name,
   * it is replaced and becomes a schedule that is declared in code.
   *
   * <p>A worker does the same for the schedules that it was built with, and renews the declarations
   * while it runs. A program without a worker must repeat this call at least once a week.
   * Otherwise, its schedules count as {@linkplain ScheduleState#isUndeclared undeclared}.
   *
   * @param schedules the schedules
   * @throws IllegalArgumentException if two of the schedules have the same name
   * @throws PayloadException if a payload is rejected
   */
  void declare(List<Schedule> schedules);

  /**
   * Adds a schedule at run time.
   *
   * @param schedule the schedule
   * @throws IllegalArgumentException if a schedule with this name already exists, or if only
   *     workers that declare the schedule could fire it ({@link Schedule#needsCode})
   * @throws PayloadException if the payload is rejected
   */
  void add(Schedule schedule);

  /**
   * Changes the timing of a schedule. If the schedule is declared in code, later declarations keep
   * the changed timing until one of them declares the same timing or is {@linkplain
   * Schedule#authoritative authoritative}.
   *
   * @param name the name of the schedule
   * @param timing the new timing, in its own time zone, which is UTC by default. If it excludes no
   *     dates, the dates that the schedule excludes remain excluded. Predicates of the previous
   *     timing no longer apply
   * @return whether there is a schedule of that name
   * @throws IllegalArgumentException if {@code timing} excludes dates by a predicate
   */
  boolean change(String name, Timing timing);

  /**
   * Pauses a schedule, which then does not fire until it is resumed. Jobs that the schedule has
   * enqueued are not affected.
   *
   * @param name the name of the schedule
   * @return whether there is a schedule of that name
   */
  boolean pause(String name);

  /**
   * Resumes a paused schedule, which next fires at its first planned time in the future. Planned
   * times within the pause do not count as missed. For missed times before the pause, the
   * schedule's {@linkplain Missed missed} rule applies.
   *
   * @param name the name of the schedule
   * @return whether there is a schedule of that name
   */
  boolean resume(String name);

  /**
   * Requests that a schedule fire now, even if it is paused. A started worker that can fire the
   * schedule enqueues the job, usually within milliseconds, or within about a minute if workers
   * receive no wake-ups. The planned time of the job is the time of the request. The schedule's
   * {@linkplain Overlap overlap} applies. The next planned time does not change. While a request is
   * pending, further requests have no effect.
   *
   * @param name the name of the schedule
   * @return whether there is a schedule of that name
   */
  boolean fireNow(String name);

  /**
   * Removes a schedule that an operator added. Jobs that it has enqueued are not affected.
   *
   * @param name the name of the schedule
   * @return whether there was a schedule of that name
   * @throws IllegalArgumentException if the schedule is declared in code, because its next
   *     declaration would create it again. Pause it or {@link #retire} it instead. A schedule whose
   *     row {@linkplain ScheduleState#unreadable cannot be read} is removed without this check
   */
  boolean remove(String name);

  /**
   * Removes a schedule that is no longer declared in code. This has no effect on a schedule that an
   * operator added, so the call can remain in the code.
   *
   * @param name the name of the schedule
   * @return whether there was such a schedule
   */
  boolean retire(String name);

  /**
   * {@return all schedules, ordered by name, each with its next five planned times} Reads them in
   * pages, each in a transaction of its own. If there may be thousands, use {@link #list(String,
   * int)}.
   */
  List<ScheduleState> list();

  /**
   * {@return a page of schedules, ordered by name, each with its next five planned times}
   *
   * @param after the name after which the page begins: the last name of the page before, or an
   *     empty string for the first page
   * @param limit the maximum number of schedules, from 1 to 500
   * @throws IllegalArgumentException if {@code limit} is not in that range
   */
  List<ScheduleState> list(String after, int limit);

  /**
   * {@return the schedule with the given name and its next five planned times, or empty if there is
   * no such schedule}
   *
   * @param name the name of the schedule
   */
  Optional<ScheduleState> find(String name);

  /**
   * {@return all schedules like {@link #list}, but does not read their payloads, which are null} A
   * role that may not read payloads can use this method, for example the viewer of the roles
   * script.
   */
  List<ScheduleState> listWithoutPayloads();

  /**
   * {@return a page like {@link #list(String, int)}, but does not read payloads, which are null}
   *
   * @param after the name after which the page begins, or an empty string
   * @param limit the maximum number of schedules, from 1 to 500
   */
  List<ScheduleState> listWithoutPayloads(String after, int limit);

  /**
   * {@return a schedule like {@link #find}, but does not read its payload, which is null}
   *
   * @param name the name of the schedule
   */
  Optional<ScheduleState> findWithoutPayload(String name);
}
