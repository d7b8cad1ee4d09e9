package dev.skipjack.store.jooq;

import dev.skipjack.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A statement that ends attempts, in one text for each combination of {@link EndParts}. Safe for
 * any number of threads.
 *
 * @param <Q> the type of the request
 * @param <R> the type of the value read from a row
 */
final class EndStatements<Q, R> {

  private final Map<EndParts, OutcomeStatement<Q, R>> byParts;

  /**
   * @param creation creates the statement with the given parts when it is first used
   */
  EndStatements(Function<EndParts, OutcomeStatement<Q, R>> creation) {
    byParts =
        EndParts.all().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    parts -> parts, parts -> OutcomeStatement.lazily(() -> creation.apply(parts))));
  }

  /** Returns the statement with these parts for the attempts in {@code request}. */
  Statement<Q, R> ending(EndParts parts, Q request) {
    return Objects.requireNonNull(byParts.get(parts)).ending(request);
  }
}
