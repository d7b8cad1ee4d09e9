package dev.skipjack.skiplocked;

import java.util.function.Function;

/**
 * The result of claiming an exact number of rows: either all of them or none.
 *
 * @param <T> the type of what was claimed: a list of rows, or a {@link RowLease}
 */
public sealed interface ClaimResult<T> {

  /**
   * All rows were claimed.
   *
   * @param rows the claimed rows, exactly the requested number
   */
  record Claimed<T>(T rows) implements ClaimResult<T> {}

  /**
   * Too few rows were free. Nothing was changed, and the claim keeps no row locked, even if the
   * transaction stays open.
   *
   * @param requested the number of rows that were requested
   * @param found the number of rows that were free, fewer than requested. It does not include rows
   *     that other transactions had locked, which may be free again once those transactions end
   */
  record Shortage<T>(int requested, int found) implements ClaimResult<T> {}

  /**
   * Maps either case to a value.
   *
   * @param <X> the type of the value
   * @param claimed receives the claimed rows
   * @param shortage receives the requested number and the number of free rows
   * @return the result of the function that was called
   */
  default <X> X fold(
      Function<? super T, ? extends X> claimed,
      Function<? super Shortage<T>, ? extends X> shortage) {
    if (this instanceof Claimed<T> all) {
      return claimed.apply(all.rows());
    }
    return shortage.apply((Shortage<T>) this);
  }

  /**
   * {@return what was claimed, or throws the exception that {@code failure} creates from a
   * shortage}
   *
   * @param <E> the type of the exception
   * @param failure creates the exception to throw if too few rows were free
   * @throws E if too few rows were free
   */
  default <E extends Throwable> T orElseThrow(Function<? super Shortage<T>, ? extends E> failure)
      throws E {
    if (this instanceof Claimed<T> all) {
      return all.rows();
    }
    throw failure.apply((Shortage<T>) this);
  }
}
