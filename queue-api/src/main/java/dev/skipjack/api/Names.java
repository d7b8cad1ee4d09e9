package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * What a queue and a kind may be called. One rule, so that SQL, logs, metrics and URLs need no
 * escaping.
 */
final class Names {

  private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]{1,63}");

  private Names() {}

  static String require(String what, String name) {
    Objects.requireNonNull(name, () -> what + " name must not be null.");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s name '%s' is not allowed. Use 1 to 63 of a-z, 0-9, '_', '.', '-'."
              .formatted(what, SafeText.of(name, 80)));
    }
    return name;
  }
}
