package dev.skipjack.cli;

import java.util.Map;

/** The style of the output: with colours for a terminal, or without. */
enum Style {
  PLAIN,
  COLOURED;

  private static final String END = "\u001b[0m";
  private static final String BOLD = "\u001b[1m";
  private static final String RED = "\u001b[31m";
  private static final String GREEN = "\u001b[32m";
  private static final String YELLOW = "\u001b[33m";

  /** The words that are coloured if a cell contains nothing else. */
  private static final Map<String, String> COLOURS =
      Map.ofEntries(
          Map.entry("dead", RED),
          Map.entry("failed", RED),
          Map.entry("lost", RED),
          Map.entry("red", RED),
          Map.entry("busy", YELLOW),
          Map.entry("paused", YELLOW),
          Map.entry("yellow", YELLOW),
          Map.entry("running", GREEN),
          Map.entry("completed", GREEN),
          Map.entry("succeeded", GREEN),
          Map.entry("green", GREEN));

  String heading(String text) {
    return this == PLAIN ? text : BOLD + text + END;
  }

  String warning(String text) {
    return this == PLAIN ? text : YELLOW + text + END;
  }

  String cell(String text) {
    String colour = this == PLAIN ? null : COLOURS.get(text);
    return colour == null ? text : colour + text + END;
  }
}
