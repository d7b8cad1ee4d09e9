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

/** Computes the unique key of a job. */
@FunctionalInterface
interface KeySource<T> {

  /** The maximum absolute scale of a {@code BigDecimal}. */
  int MOST_DIGITS = 1_000;

  /**
   * Returns the key of a job.
   *
   * @param kind the kind of the job, for error messages
   * @param payload the payload, as passed by the caller
   * @param json the payload, as it is stored
   */
  String keyOf(String kind, T payload, String json);

  /**
   * Returns a source whose keys are the text of a {@code jsonb_build_array(...)} of the field
   * values.
   */
  static <T> KeySource<T> ofFields(List<Function<? super T, ?>> fields) {
    return (kind, payload, json) ->
        IntStream.range(0, fields.size())
            .mapToObj(i -> value(kind, i + 1, fields.get(i).apply(payload)))
            .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String value(String kind, int number, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(
          "Field %d of the unique key of kind '%s' is null, and two unknown values are not equal. Compute the key with Unique.by."
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
        "Field %d of the unique key of kind '%s' is a %s, which has no single text form. Use String, Boolean, an integer, BigDecimal with a small scale, UUID, LocalDate or an enum, or compute the key with Unique.by."
            .formatted(number, kind, value.getClass().getName()));
  }
}
