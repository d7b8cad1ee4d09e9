package dev.skipjack.dashboard;

/** The colours of the pages, which a user chooses. */
enum Theme {
  AUTO("Auto"),
  LIGHT("Light"),
  DARK("Dark");

  static final String COOKIE = "skipjack_theme";

  private final String label;

  Theme(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
