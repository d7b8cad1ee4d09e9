package dev.skipjack.sql;

import dev.skipjack.api.StoreException;
import java.util.Set;

/** Detects failures that other sessions cause by holding locks or by overloading the server. */
public final class Contention {

  private static final Set<String> LOCK_TIMEOUT_DEADLOCK_OR_CANCELLED =
      Set.of("55P03", "40P01", "57014");

  private Contention() {}

  /**
   * {@return whether the same statement, or one with fewer rows, may succeed if it is repeated}
   *
   * @param failure the failure
   */
  public static boolean caused(StoreException failure) {
    return failure.sqlState().filter(LOCK_TIMEOUT_DEADLOCK_OR_CANCELLED::contains).isPresent();
  }
}
