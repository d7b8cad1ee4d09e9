package dev.skipjack.api.spi;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Validates the names of queues, kinds, schedules and limits. The same rule applies to all of them
 * and ensures that SQL, logs, metrics and URLs can contain names without escaping.
 */
public final class Names {

  private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]{1,63}");

  private Names() {}

  /**
   * {@return {@code queue} if it is a valid queue name}
   *
   * @param queue the name of the queue
   * @throws IllegalArgumentException if {@code queue} does not consist of 1 to 63 of the characters
   *     {@code a-z 0-9 _ . -}
   */
  public static String requireQueue(String queue) {
    return require("Queue", queue);
  }

  /**
   * {@return {@code kind} if it is a valid kind name}
   *
   * @param kind the name of the kind
   * @throws IllegalArgumentException if {@code kind} does not consist of 1 to 63 of the characters
   *     {@code a-z 0-9 _ . -}
   */
  public static String requireKind(String kind) {
    return require("Kind", kind);
  }

  /**
   * {@return {@code schedule} if it is a valid name of a schedule}
   *
   * @param schedule the name of the schedule
   * @throws IllegalArgumentException if {@code schedule} does not consist of 1 to 63 of the
   *     characters {@code a-z 0-9 _ . -}
   */
  public static String requireSchedule(String schedule) {
    return require("Schedule", schedule);
  }

  /**
   * {@return {@code limit} if it is a valid name of a limit}
   *
   * @param limit the name of the limit
   * @throws IllegalArgumentException if {@code limit} does not consist of 1 to 63 of the characters
   *     {@code a-z 0-9 _ . -}
   */
  public static String requireLimit(String limit) {
    return require("Limit", limit);
  }

  private static String require(String what, String name) {
    Objects.requireNonNull(name, () -> what + " name must not be null.");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s name '%s' is not allowed. Use 1 to 63 of a-z, 0-9, '_', '.', '-'."
              .formatted(what, SafeText.of(name, 80)));
    }
    return name;
  }
}
