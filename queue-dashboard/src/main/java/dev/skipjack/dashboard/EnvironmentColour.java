package dev.skipjack.dashboard;

import java.util.Locale;

/** The colour of the environment's name at the top of every page. */
public enum EnvironmentColour {
  /** For production. */
  RED,
  /** For an environment that resembles production. */
  AMBER,
  /** For development. */
  GREEN,
  /** For tests. */
  BLUE,
  /** For everything else. */
  GREY;

  String style() {
    return "env-" + name().toLowerCase(Locale.ROOT);
  }
}
