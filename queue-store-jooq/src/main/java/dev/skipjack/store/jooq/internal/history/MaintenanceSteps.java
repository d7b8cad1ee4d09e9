package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import java.util.List;
import java.util.function.Consumer;

/** Lets each step of maintenance fail alone: the others still run. */
public final class MaintenanceSteps {

  private final Consumer<RuntimeException> failed;

  /**
   * @param failed gets the failure of each step that failed
   */
  MaintenanceSteps(Consumer<RuntimeException> failed) {
    this.failed = failed;
  }

  /** Adds a sentence to {@code sentences} for each step of pruning {@code what} that failed. */
  public static MaintenanceSteps named(String what, List<String> sentences) {
    return new MaintenanceSteps(
        failure -> sentences.add("%s were not pruned. %s".formatted(what, failure.getMessage())));
  }

  /**
   * Runs one step.
   *
   * @throws StoreException if the database is unavailable: the other steps would fail too
   */
  public void run(Runnable step) {
    try {
      step.run();
    } catch (StoreException refused) {
      requireAvailable(refused);
      failed.accept(refused);
    } catch (RuntimeException broken) {
      failed.accept(broken);
    }
  }

  /**
   * Throws the failure itself if it says that there is no connection, that the server shuts down or
   * starts, that its resources are used up, or that it is a read-only standby.
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
