package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A statement that ends attempts. Its text names the weeks in which the attempts began
 * (docs/adr/0002), so there is a separate {@link Statement} for each week, which is rendered when
 * the first attempt of that week ends. Safe for any number of threads.
 *
 * @param <Q> the type of the request
 * @param <R> the type of the value read from a row
 */
final class OutcomeStatement<Q, R> {

  /** The size of the cache. A worker rarely ends attempts of more weeks than this. */
  private static final int KEPT = 8;

  private final Function<Q, AuditWeeks> weeksOf;
  private final Function<AuditWeeks, Statement<Q, R>> render;
  private final Map<AuditWeeks, Statement<Q, R>> statements = new ConcurrentHashMap<>();

  private OutcomeStatement(
      Function<Q, AuditWeeks> weeksOf, Function<AuditWeeks, Statement<Q, R>> render) {
    this.weeksOf = weeksOf;
    this.render = render;
  }

  /** Creates the statement for requests about one attempt. */
  static <Q, R> OutcomeStatement<Q, R> ofOne(
      Function<Q, Execution> attempt, Function<AuditWeeks, Statement<Q, R>> render) {
    return new OutcomeStatement<>(request -> AuditWeeks.of(attempt.apply(request)), render);
  }

  /** Creates the statement for requests that are lists with one element per attempt. */
  static <A, R> OutcomeStatement<List<A>, R> ofBatch(
      Function<A, Execution> attempt, Function<AuditWeeks, Statement<List<A>, R>> render) {
    return new OutcomeStatement<>(
        batch -> AuditWeeks.of(batch.stream().map(attempt).toList()), render);
  }

  /** Returns the statement for the attempts in {@code request}. */
  Statement<Q, R> ending(Q request) {
    return in(weeksOf.apply(request));
  }

  /** Returns the statement for attempts that began in these weeks. */
  Statement<Q, R> in(AuditWeeks weeks) {
    Statement<Q, R> statement = statements.get(weeks);
    if (statement == null) {
      if (statements.size() >= KEPT) {
        statements.clear();
      }
      statement = render.apply(weeks);
      statements.put(weeks, statement);
    }
    return statement;
  }
}
