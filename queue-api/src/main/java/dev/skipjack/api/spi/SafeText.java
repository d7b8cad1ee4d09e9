package dev.skipjack.api.spi;

/**
 * Text that every PostgreSQL text column takes: no NUL, no lone surrogate, of bounded length.
 *
 * <p>An outcome that could not be written because of its error message would leave its job running
 * until the lease ends, so whatever is written about an attempt passes through here.
 */
public final class SafeText {

  private static final char REPLACEMENT = '\uFFFD';
  private static final String CUT = " ... (cut)";

  private SafeText() {}

  /**
   * Replaces what PostgreSQL refuses by U+FFFD and cuts the end off a text of more than {@code
   * maxLength} characters.
   *
   * @param maxLength in UTF-16 code units, more than the mark of the cut
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
