package dev.skipjack.store.jooq.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;

/**
 * A statement: its text, the binding of a request to its parameters, and the reader of its rows. It
 * is created in the statement's own file, so the request of one cannot be passed to another.
 * Immutable and safe for any number of threads.
 *
 * @param <Q> the request
 * @param <R> the value read from a row
 */
public final class Statement<Q, R> {

  private final StatementText text;
  private final Function<Q, Arguments> binding;
  private final RowReader<R> reader;

  private Statement(StatementText text, Function<Q, Arguments> binding, RowReader<R> reader) {
    this.text = text;
    this.binding = binding;
    this.reader = reader;
  }

  /**
   * Creates a statement whose query is created and rendered, with the configuration of {@code dsl},
   * when it is first needed.
   *
   * @param query its only bind values are those made by {@link org.jooq.impl.DSL#param(String,
   *     Class)}
   * @param binding a value for each of its parameters
   */
  public static <Q, R> Statement<Q, R> of(
      DSLContext dsl,
      Supplier<? extends ResultQuery<?>> query,
      Function<Q, Arguments> binding,
      RowReader<R> reader) {
    return new Statement<>(StatementText.of(dsl, query), binding, reader);
  }

  /**
   * Creates a statement of an existing query, whose fields the reader refers to. The query is
   * rendered, with the configuration of {@code dsl}, when it is first needed.
   *
   * @param query its only bind values are those made by {@link org.jooq.impl.DSL#param(String,
   *     Class)}
   * @param binding a value for each of its parameters
   */
  public static <Q, R> Statement<Q, R> of(
      DSLContext dsl, ResultQuery<?> query, Function<Q, Arguments> binding, RowReader<R> reader) {
    return new Statement<>(StatementText.of(dsl, () -> query), binding, reader);
  }

  /**
   * As {@link #of(DSLContext, ResultQuery, Function, RowReader)}, for a query without parameters.
   */
  public static <R> Statement<NoRequest, R> of(
      DSLContext dsl, ResultQuery<?> query, RowReader<R> reader) {
    return of(dsl, query, none -> new Arguments(), reader);
  }

  /** As {@link #of(DSLContext, Supplier, Function, RowReader)}, for a query without parameters. */
  public static <R> Statement<NoRequest, R> of(
      DSLContext dsl, Supplier<? extends ResultQuery<?>> query, RowReader<R> reader) {
    return of(dsl, query, none -> new Arguments(), reader);
  }

  /**
   * Returns the same statement, with a question mark in its texts for each character outside ASCII;
   * see {@link Arguments#ascii}.
   */
  public Statement<Q, R> ascii() {
    return new Statement<>(text, binding.andThen(Arguments::ascii), reader);
  }

  /** Returns the rendered text, for plans and golden files. */
  public StatementText text() {
    return text;
  }

  /**
   * Runs it in the transaction that is open on {@code connection}, and restores that transaction's
   * planner settings.
   *
   * @return the value read from each row
   */
  public List<R> run(Connection connection, Q request) throws SQLException {
    return bind(request).run(connection);
  }

  BoundStatement<R> bind(Q request) {
    return new BoundStatement<>(text, binding.apply(request), reader);
  }

  /** Turns a row into a value. */
  @FunctionalInterface
  public interface RowReader<R> {
    /** Returns the value of the current row. */
    R read(Row row) throws SQLException;
  }
}
