package dev.skipjack.api.schedule;

import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import java.util.List;
import java.util.Optional;

/**
 * The schedules of a queue: declares, adds, changes and lists them. Started workers fire them.
 *
 * <p>Each call runs in short transactions of its own and uses the database's clock. Safe for any
 * number of threads. Every method throws {@link StoreException} when the database refused a
 * statement or could not be reached.
 */
public interface Schedules {

  /** Like {@link #declare(List)}. */
  default void declare(Schedule schedule) {
    declare(List.of(schedule));
  }

  /**
   * Declares schedules in code. A new one is created; one that differs from its last declaration is
   * replaced. What operators changed at run time, timing and pause, remains, unless the declaration
   * is {@linkplain Schedule#authoritative authoritative}. A schedule of the same name that an
   * operator added is replaced too, and then belongs to the code.
   *
   * <p>A worker does the same for the schedules that it was built with.
   *
   * @throws PayloadException if a payload is rejected
   */
  void declare(List<Schedule> schedules);

  /**
   * Adds a schedule at run time.
   *
   * @throws IllegalArgumentException if there is a schedule of that name, or if only code could
   *     fire it ({@link Schedule#needsCode})
   * @throws PayloadException if the payload is rejected
   */
  void add(Schedule schedule);

  /**
   * Changes when a schedule fires. For a schedule declared in code, this is a change at run time,
   * which later declarations keep; a declaration with the same timing ends it.
   *
   * @param timing without an excepting predicate
   * @return whether there is a schedule of that name
   */
  boolean change(String name, Timing timing);

  /**
   * Stops a schedule from firing until it is resumed. Jobs that it enqueued stay.
   *
   * @return whether there is a schedule of that name
   */
  boolean pause(String name);

  /**
   * Lets a paused schedule fire again, from its next fire after now: fires during the pause are not
   * missed ones.
   *
   * @return whether there is a schedule of that name
   */
  boolean resume(String name);

  /**
   * Requests a fire now, also of a paused schedule. A started worker that can fire the schedule
   * enqueues the job, usually within milliseconds. The planned time of the fire is the time of the
   * request; the next regular fire does not change. Requests that were not served yet count as one.
   *
   * @return whether there is a schedule of that name
   */
  boolean fireNow(String name);

  /**
   * Removes a schedule that an operator added. Jobs that it enqueued stay.
   *
   * @return whether there was a schedule of that name
   * @throws IllegalArgumentException if code declared it, because its next declaration would create
   *     it again: pause it, or {@link #retire} it
   */
  boolean remove(String name);

  /**
   * Removes a schedule that code declared earlier and no longer declares. Does nothing to a
   * schedule that an operator added, so it may stay in the code.
   *
   * @return whether there was such a schedule
   */
  boolean retire(String name);

  /** Lists all schedules in the order of their names, each with its next five fires. */
  List<ScheduleState> list();

  /** Returns the schedule of that name, with its next five fires. */
  Optional<ScheduleState> find(String name);
}
