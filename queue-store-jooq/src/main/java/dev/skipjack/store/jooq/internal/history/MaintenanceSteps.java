package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Runs the steps of maintenance. If one fails, the others still run. */
public final class MaintenanceSteps {

  private MaintenanceSteps() {}

  /**
   * Runs a step that prunes {@code what}.
   *
   * @param failed receives a sentence if the step fails
   * @throws StoreException as for {@link #run}
   */
  public static void prune(String what, List<String> failed, Runnable step) {
    boolean unused =
        run(
            () -> {
              step.run();
              return true;
            },
            failure -> failed.add("%s were not pruned. %s".formatted(what, failure.getMessage())));
  }

  /**
   * Runs one step.
   *
   * @param <R> the type of the result
   * @param failed creates the result of a step that failed
   * @return the result
   * @throws StoreException if the database is unavailable, because the other steps would fail too
   */
  public static <R> R run(Supplier<R> step, Function<RuntimeException, R> failed) {
    try {
      return step.get();
    } catch (StoreException refused) {
      requireAvailable(refused);
      return failed.apply(refused);
    } catch (RuntimeException broken) {
      return failed.apply(broken);
    }
  }

  /**
   * Throws the failure if it means that no connection is available, or that the server is shutting
   * down, starting, out of resources, or read-only.
   */
  static void requireAvailable(StoreException failure) {
    String state = failure.sqlState().orElse("08");
    if (state.startsWith("08")
        || state.startsWith("57P")
        || state.startsWith("53")
        || state.equals("25006")) {
      throw failure;
    }
  }
}
