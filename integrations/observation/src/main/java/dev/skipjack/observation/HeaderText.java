package dev.skipjack.observation;

/** Makes any text a valid value of a header. */
final class HeaderText {

  private HeaderText() {}

  /**
   * Replaces control characters and lone surrogates with spaces, and truncates the text.
   *
   * @param longest the maximum number of code points
   */
  static String of(String text, int longest) {
    return text.codePoints()
        .limit(longest)
        .map(c -> Character.isISOControl(c) || isSurrogate(c) ? ' ' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isSurrogate(int codePoint) {
    return Character.getType(codePoint) == Character.SURROGATE;
  }
}
