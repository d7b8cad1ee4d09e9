package dev.skipjack.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Splits a bulk write into statements. The rows and the payloads of each statement are limited,
 * because the driver and the server hold a whole statement in memory, and the server rejects a
 * statement of 1 GB.
 */
public final class Chunks {

  /**
   * The maximum number of payload characters in one statement, unless a single element has more. A
   * {@code char} contributes at most three bytes in UTF-8.
   */
  static final long LARGEST_PAYLOAD = 16L * 1024 * 1024;

  private Chunks() {}

  /**
   * Splits {@code all} into consecutive, non-empty parts, in order.
   *
   * @param <E> the type of the elements
   * @param all the elements
   * @param rows the maximum number of elements of a part; positive
   * @param payload returns the number of characters that an element adds to its statement
   * @return the parts
   */
  public static <E> List<List<E>> of(List<E> all, int rows, ToLongFunction<E> payload) {
    List<List<E>> chunks = new ArrayList<>();
    int from = 0;
    long size = 0;
    for (int i = 0; i < all.size(); i++) {
      long added = payload.applyAsLong(all.get(i));
      if (i > from && (i - from == rows || size + added > LARGEST_PAYLOAD)) {
        chunks.add(all.subList(from, i));
        from = i;
        size = 0;
      }
      size += added;
    }
    if (from < all.size()) {
      chunks.add(all.subList(from, all.size()));
    }
    return chunks;
  }
}
