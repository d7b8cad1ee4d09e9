package dev.skipjack.dedup;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Where a job's key comes from. */
@FunctionalInterface
interface KeySource<T> {

  /** As a payload's numbers: longer ones would be a mistake, and {@code 1e999999999} a bomb. */
  int MOST_DIGITS = 1_000;

  /**
   * The key.
   *
   * @param payload as the caller gave it
   * @param json as it is written
   */
  String keyOf(T payload, String json);

  /** The text of {@code jsonb_build_array(...)} over the values. */
  static <T> KeySource<T> ofFields(List<Function<? super T, ?>> fields) {
    return (payload, json) ->
        IntStream.range(0, fields.size())
            .mapToObj(i -> value(i + 1, fields.get(i).apply(payload)))
            .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String value(int number, @Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof String || value instanceof UUID || value instanceof LocalDate) {
      return CanonicalJson.string(value.toString());
    }
    if (value instanceof Enum<?> constant) {
      return CanonicalJson.string(constant.name());
    }
    if (value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte
        || value instanceof BigInteger) {
      return value.toString();
    }
    if (value instanceof BigDecimal decimal && Math.abs((long) decimal.scale()) <= MOST_DIGITS) {
      return CanonicalJson.number(decimal);
    }
    throw new IllegalArgumentException(
        "Field %d of a unique key is a %s that has no one text. Use String, Boolean, an integer, BigDecimal with a small scale, UUID, LocalDate, an enum, or give the key with Unique.by."
            .formatted(number, value.getClass().getName()));
  }
}
