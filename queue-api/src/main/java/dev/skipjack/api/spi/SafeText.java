package dev.skipjack.api.spi;

/**
 * Sanitizes text, so that any PostgreSQL text column can store it: replaces NUL and lone
 * surrogates, and truncates long text.
 *
 * <p>If the database rejected an error message, the outcome could not be recorded, and the job
 * would remain running until its lease expired. This class therefore sanitizes all text about
 * attempts.
 */
public final class SafeText {

  private static final char REPLACEMENT = '\uFFFD';
  private static final String CUT = " ... (cut)";

  private SafeText() {}

  /**
   * Replaces characters that PostgreSQL rejects with U+FFFD, and truncates the text to {@code
   * maxLength} characters.
   *
   * @param text the text
   * @param maxLength the maximum length in UTF-16 code units; must exceed the length of the mark
   *     that is appended to truncated text
   * @return the text that can be stored
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
