package dev.skipjack.sql;

/** Formats a number with its noun. */
public final class Counted {

  private Counted() {}

  /** Returns a number and its noun, in the singular or the plural. */
  public static String of(long number, String one, String several) {
    return "%,d %s".formatted(number, number == 1 ? one : several);
  }
}
