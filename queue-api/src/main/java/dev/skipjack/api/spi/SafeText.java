package dev.skipjack.api.spi;

/**
 * Makes texts storable in any PostgreSQL text column: without NUL or lone surrogates, and of
 * bounded length.
 *
 * <p>If an outcome could not be written because of its error message, its job would stay running
 * until the lease expires. Therefore every text about an attempt passes through this class.
 */
public final class SafeText {

  private static final char REPLACEMENT = '\uFFFD';
  private static final String CUT = " ... (cut)";

  private SafeText() {}

  /**
   * Replaces characters that PostgreSQL refuses by U+FFFD and truncates a text of more than {@code
   * maxLength} characters.
   *
   * @param maxLength in UTF-16 code units, larger than the length of the truncation mark
   */
  public static String of(String text, int maxLength) {
    boolean cut = text.length() > maxLength;
    int length = cut ? maxLength - CUT.length() : text.length();
    StringBuilder safe = new StringBuilder(length + CUT.length());
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < length
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        safe.append(c).append(text.charAt(++i));
      } else {
        safe.append(c == '\0' || Character.isSurrogate(c) ? REPLACEMENT : c);
      }
    }
    return cut ? safe.append(CUT).toString() : safe.toString();
  }
}
