package dev.skipjack.sql;

/** Formats a number with its noun. */
public final class Counted {

  private Counted() {}

  /**
   * {@return a number and its noun, in the singular or the plural}
   *
   * @param number the number
   * @param one the word for one
   * @param several the word for several
   */
  public static String of(long number, String one, String several) {
    return "%,d %s".formatted(number, number == 1 ? one : several);
  }
}
