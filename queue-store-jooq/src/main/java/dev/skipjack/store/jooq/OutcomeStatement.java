package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A statement that ends attempts, or reads how they ended. Its text contains the week or weeks in
 * which the attempts began (docs/adr/0002). There is a separate {@link Statement} for each such
 * period, which is rendered on first use. Safe for any number of threads.
 *
 * @param <Q> the type of the request
 * @param <R> the type of the value read from a row
 */
final class OutcomeStatement<Q, R> {

  /** The number of statements at which the cache is cleared. A worker rarely needs as many. */
  private static final int KEPT = 8;

  private final Supplier<Parts<Q, R>> parts;
  private final Map<AuditWeeks, Statement<Q, R>> statements = new ConcurrentHashMap<>();

  private OutcomeStatement(Supplier<Parts<Q, R>> parts) {
    this.parts = parts;
  }

  private record Parts<Q, R>(
      Function<Q, AuditWeeks> weeksOf, Function<AuditWeeks, Statement<Q, R>> render) {}

  /**
   * Returns a statement that is created when it is first used, as {@link Statement#lazily} does.
   */
  static <Q, R> OutcomeStatement<Q, R> lazily(Supplier<OutcomeStatement<Q, R>> creation) {
    return new OutcomeStatement<>(Lazy.of(() -> creation.get().parts.get()));
  }

  /** Creates the statement for requests about one attempt. */
  static <Q, R> OutcomeStatement<Q, R> ofOne(
      Function<Q, Execution> attempt, Function<AuditWeeks, Statement<Q, R>> render) {
    return of(request -> AuditWeeks.of(attempt.apply(request)), render);
  }

  /** Creates the statement for requests that are lists with one element per attempt. */
  static <A, R> OutcomeStatement<List<A>, R> ofBatch(
      Function<A, Execution> attempt, Function<AuditWeeks, Statement<List<A>, R>> render) {
    return of(batch -> AuditWeeks.of(batch.stream().map(attempt).toList()), render);
  }

  private static <Q, R> OutcomeStatement<Q, R> of(
      Function<Q, AuditWeeks> weeksOf, Function<AuditWeeks, Statement<Q, R>> render) {
    Parts<Q, R> parts = new Parts<>(weeksOf, render);
    return new OutcomeStatement<>(() -> parts);
  }

  /** Returns the statement for the attempts in {@code request}. */
  Statement<Q, R> ending(Q request) {
    return in(parts.get().weeksOf().apply(request));
  }

  /** Returns the statement for attempts that began in these weeks. */
  Statement<Q, R> in(AuditWeeks weeks) {
    Statement<Q, R> statement = statements.get(weeks);
    if (statement == null) {
      if (statements.size() >= KEPT) {
        statements.clear();
      }
      statement = parts.get().render().apply(weeks);
      statements.put(weeks, statement);
    }
    return statement;
  }
}
