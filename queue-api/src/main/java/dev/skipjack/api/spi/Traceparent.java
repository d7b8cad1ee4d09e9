package dev.skipjack.api.spi;

import java.util.regex.Pattern;

/**
 * Validates a W3C {@code traceparent}, which has the form {@code <version>-<trace id>-<parent
 * id>-<flags>} in lowercase hexadecimal digits. Skipjack passes it from the enqueuer to the handler
 * without interpreting it.
 *
 * @see <a href="https://www.w3.org/TR/trace-context/#traceparent-header">Trace Context</a>
 */
public final class Traceparent {

  private static final Pattern FORM =
      Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private Traceparent() {}

  /**
   * {@return {@code traceparent} if it is valid}
   *
   * @param traceparent the value of the header {@code traceparent}
   * @throws IllegalArgumentException if {@code traceparent} does not have this form, its version is
   *     {@code ff}, or one of its ids is all zeros
   */
  public static String require(String traceparent) {
    if (!FORM.matcher(traceparent).matches()) {
      throw new IllegalArgumentException(
          "Trace parent '%s' is not allowed. Use the W3C form: version, trace id, parent id and flags as 2, 32, 16 and 2 of 0-9 and a-f between '-', no id all zeros, version not ff."
              .formatted(SafeText.of(traceparent, 80)));
    }
    return traceparent;
  }
}
