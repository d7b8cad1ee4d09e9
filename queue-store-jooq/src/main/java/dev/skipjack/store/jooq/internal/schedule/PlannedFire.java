package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.spi.ScheduleStore.Plan;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plan for one due schedule. Only its first result or failure counts. */
final class PlannedFire implements Plan {

  private final Due due;
  private final Function<Due, Firing> planning;
  private final AtomicReference<@Nullable Result> result = new AtomicReference<>();

  /** Either the firing or the failure is null. */
  private record Result(@Nullable Firing firing, @Nullable Throwable failure) {}

  /**
   * @param planning calls the code of the application, which may throw anything
   */
  PlannedFire(Due due, Function<Due, Firing> planning) {
    this.due = due;
    this.planning = planning;
  }

  @Override
  public String schedule() {
    return due.name();
  }

  @Override
  public void run() {
    try {
      result.compareAndSet(null, new Result(planning.apply(due), null));
    } catch (Throwable thrown) { // also checked exceptions, which Kotlin does not check
      fail(thrown);
      if (thrown instanceof VirtualMachineError fatal
          && !(thrown instanceof StackOverflowError)
          && !(thrown instanceof OutOfMemoryError)) {
        throw fatal;
      }
    }
  }

  @Override
  public void fail(Throwable error) {
    result.compareAndSet(null, new Result(null, error));
  }

  Due due() {
    return due;
  }

  /** Returns why there is no firing, or null if there is one. */
  @Nullable Throwable failure() {
    return ended().failure();
  }

  /** Returns the jobs and the next planned time. There must be no failure. */
  Firing firing() {
    return Objects.requireNonNull(ended().firing());
  }

  private Result ended() {
    return Objects.requireNonNull(result.get(), "The plan has not ended.");
  }
}
