package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;

/**
 * A statement: its text, the binding of a request to its parameters, and the reader of its rows.
 * Passing a request of another type than {@code Q} does not compile. Immutable and safe for any
 * number of threads.
 *
 * @param <Q> the type of the request
 * @param <R> the type of the value read from a row
 */
public final class Statement<Q, R> {

  private final Lazy<Parts<Q, R>> parts;

  private Statement(Supplier<Parts<Q, R>> creation) {
    this.parts = Lazy.of(creation);
  }

  private record Parts<Q, R>(
      StatementText text, Function<Q, Arguments> binding, RowReader<R> reader) {}

  /**
   * {@return a statement that is created and rendered when it is first used} Rendering all
   * statements at startup would take about a second, although a process may never run most of them.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param creation creates the statement
   */
  public static <Q, R> Statement<Q, R> lazily(Supplier<Statement<Q, R>> creation) {
    return new Statement<>(() -> creation.get().parts());
  }

  /**
   * Renders a query with the configuration of {@code dsl}.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param dsl the context that renders
   * @param query the query, whose only bind values were created by {@link
   *     org.jooq.impl.DSL#param(String, Class)}
   * @param binding returns a value for each parameter
   * @param reader reads a row
   * @return the statement
   */
  public static <Q, R> Statement<Q, R> of(
      DSLContext dsl, ResultQuery<?> query, Function<Q, Arguments> binding, RowReader<R> reader) {
    Parts<Q, R> parts = new Parts<>(new StatementText(dsl, query, false), binding, reader);
    return new Statement<>(() -> parts);
  }

  /**
   * Renders a query without parameters, like {@link #of(DSLContext, ResultQuery, Function,
   * RowReader)}.
   *
   * @param <R> the type of the value read from a row
   * @param dsl the context that renders
   * @param query the query
   * @param reader reads a row
   * @return the statement
   */
  public static <R> Statement<NoRequest, R> of(
      DSLContext dsl, ResultQuery<?> query, RowReader<R> reader) {
    return of(dsl, query, none -> new Arguments(), reader);
  }

  /**
   * Renders a query that runs without the settings that other statements need. It must have only
   * one sensible plan, and every function, operator and type in it must be qualified.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param dsl the context that renders
   * @param query the query
   * @param binding returns a value for each parameter
   * @param reader reads a row
   * @return the statement
   */
  public static <Q, R> Statement<Q, R> selfContained(
      DSLContext dsl, ResultQuery<?> query, Function<Q, Arguments> binding, RowReader<R> reader) {
    Parts<Q, R> parts = new Parts<>(new StatementText(dsl, query, true), binding, reader);
    return new Statement<>(() -> parts);
  }

  /** {@return the rendered text, for plans and golden files} */
  public StatementText text() {
    return parts().text();
  }

  /**
   * Runs the statement in the transaction that is open on {@code connection}, and restores the
   * settings that it changes.
   *
   * @param connection the connection
   * @param request the values of its parameters
   * @return the value read from each row
   * @throws SQLException if the database refuses the statement or cannot be reached
   */
  public List<R> run(Connection connection, Q request) throws SQLException {
    return bind(request).run(connection);
  }

  BoundStatement<R> bind(Q request) {
    Parts<Q, R> created = parts();
    return new BoundStatement<>(created.text(), created.binding().apply(request), created.reader());
  }

  private Parts<Q, R> parts() {
    return parts.get();
  }

  /** Turns a row into a value. */
  @FunctionalInterface
  public interface RowReader<R> {
    /**
     * {@return the value of the current row}
     *
     * @param row the row
     * @throws SQLException if the database refuses the statement or cannot be reached
     */
    R read(Row row) throws SQLException;
  }
}
