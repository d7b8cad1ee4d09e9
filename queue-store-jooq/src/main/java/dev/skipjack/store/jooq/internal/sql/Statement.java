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
 * @param <R> what a row becomes
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
   * A statement whose query is created and rendered when it is first needed, as {@code dsl} is
   * configured.
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
   * A statement whose query exists because its fields are what the reader reads. It is rendered
   * when it is first needed, as {@code dsl} is configured.
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
   * The same statement, whose texts have a question mark for each character outside ASCII; see
   * {@link Arguments#ascii}.
   */
  public Statement<Q, R> ascii() {
    return new Statement<>(text, binding.andThen(Arguments::ascii), reader);
  }

  /** The rendered text, for plans and golden files. */
  public StatementText text() {
    return text;
  }

  /**
   * Runs it in the transaction that is open on {@code connection}, whose planner settings are as
   * before when it returns.
   *
   * @return what each row became
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
    /** The value of the current row. */
    R read(Row row) throws SQLException;
  }
}
