package dev.skipjack.store.jooq.internal.diagnosis;

/** Quotes values that operators may copy into a shell or a Java program. */
final class Quoting {

  private Quoting() {}

  /** Returns a word that no shell expands or splits. */
  static String shell(String text) {
    return text.matches("[A-Za-z0-9_.:/@%+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  /** Returns a name for SQL, quoted if it has to be. */
  static String identifier(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Returns a Java string literal. */
  static String java(String text) {
    StringBuilder literal = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                literal.append('\\').append((char) c);
              } else if (c < ' ') {
                literal.append("\\u%04x".formatted(c));
              } else {
                literal.append((char) c);
              }
            });
    return literal.append('"').toString();
  }
}
