package dev.skipjack.store.jooq.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;

/**
 * A statement: its text, how a request becomes the values of its parameters, and what a row of its
 * result means. Made in the statement's own file, so a request can only meet its own statement.
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
   * With a text that is rendered once, as {@code dsl} is configured, when it is first needed.
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
   * Renders {@code query} once, as {@code dsl} is configured.
   *
   * @param query its only bind values are those made by {@link org.jooq.impl.DSL#param(String,
   *     Class)}
   * @param binding a value for each of its parameters
   */
  public static <Q, R> Statement<Q, R> of(
      DSLContext dsl, ResultQuery<?> query, Function<Q, Arguments> binding, RowReader<R> reader) {
    return new Statement<>(StatementText.render(dsl, query), binding, reader);
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
    return text.run(connection, bind(request), reader());
  }

  Arguments bind(Q request) {
    return binding.apply(request);
  }

  StatementText.RowReader<R> reader() {
    return result -> reader.read(new Row(result, text.columns()));
  }

  /** Turns a row into a value. */
  @FunctionalInterface
  public interface RowReader<R> {
    /** The value of the current row. */
    R read(Row row) throws SQLException;
  }
}
