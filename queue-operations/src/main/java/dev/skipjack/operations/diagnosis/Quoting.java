package dev.skipjack.operations.diagnosis;

/** Quotes values that operators may copy into a shell or a Java program. */
final class Quoting {

  private Quoting() {}

  /**
   * Returns a name as an argument of the command line. The names of queues and schedules contain
   * nothing that a shell expands or splits, but may begin as an option does.
   */
  static String operand(String name) {
    return name.startsWith("-") ? "-- " + name : name;
  }

  /** Returns an option with a name as its value. */
  static String option(String option, String name) {
    return option + (name.startsWith("-") ? "=" : " ") + name;
  }

  /**
   * Returns the command that takes an ordering key from a dead job. It identifies the ordering key
   * by the job, because keys may contain characters that no terminal shows or that cannot be
   * pasted.
   */
  static String unblock(Object head) {
    return "skipjack keys unblock --job " + head;
  }

  /** Returns a queue and the name of one of its groups, which may be any text, as arguments. */
  static String operands(String queue, String group) {
    return (queue.startsWith("-") || group.startsWith("-") ? "-- " : "")
        + queue
        + " "
        + quoted(group);
  }

  /** Returns the command that sends a signal to a job or a key, which may be any texts. */
  static String signal(String address, String name) {
    String end = name.startsWith("-") ? "-- " : "";
    return address.startsWith("key/")
        ? "skipjack signals send --key=%s %s%s"
            .formatted(quoted(address.substring(4)), end, quoted(name))
        : "skipjack signals send %s%s %s".formatted(end, address.substring(4), quoted(name));
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9_.:/@-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  /** Returns a name for SQL, quoted if necessary. */
  static String identifier(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Returns a Java string literal that consists of characters which every terminal shows. */
  static String java(String text) {
    StringBuilder literal = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                literal.append('\\').append((char) c);
              } else if (c < ' ') {
                // Octal, because a Unicode escape of a line break ends the line of the literal.
                literal.append("\\%03o".formatted(c));
              } else if (c > '~') {
                literal.append("\\u%04x".formatted(c));
              } else {
                literal.append((char) c);
              }
            });
    return literal.append('"').toString();
  }
}
