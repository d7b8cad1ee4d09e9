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
   * @param kind of the job, for messages
   * @param payload as the caller gave it
   * @param json as it is written
   */
  String keyOf(String kind, T payload, String json);

  /** The text of {@code jsonb_build_array(...)} over the values. */
  static <T> KeySource<T> ofFields(List<Function<? super T, ?>> fields) {
    return (kind, payload, json) ->
        IntStream.range(0, fields.size())
            .mapToObj(i -> value(kind, i + 1, fields.get(i).apply(payload)))
            .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String value(String kind, int number, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(
          "Field %d of the unique key of kind '%s' is null, and two unknown values are not the same one. Give the key with Unique.by."
              .formatted(number, kind));
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
        "Field %d of the unique key of kind '%s' is a %s that has no one text. Use String, Boolean, an integer, BigDecimal with a small scale, UUID, LocalDate, an enum, or give the key with Unique.by."
            .formatted(number, kind, value.getClass().getName()));
  }
}
