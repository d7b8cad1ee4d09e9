package dev.skipjack.torture;

/**
 * One line of a history.
 *
 * @param micros time since 1970, by this machine's clock even if the process has a skewed one
 * @param process the process that wrote the event; for a fault, the affected process or {@link
 *     #ALL}
 * @param type what happened
 * @param key key of the request, or number of the fault; {@link #NONE} if there is none
 * @param job id of the job; 0 if unknown
 * @param execution id of the attempt; 0 if there is none
 * @param detail details that depend on the type
 */
record Event(
    long micros,
    String process,
    EventType type,
    String key,
    long job,
    long execution,
    String detail) {

  static final String NONE = "-";
  static final String ALL = "*";

  private static final int FIELDS = 7;

  /** Parses a line written by {@link #line}. */
  static Event parse(String line) {
    String[] field = line.split("\t", -1);
    if (field.length != FIELDS) {
      throw new IllegalArgumentException("Not a line of a history: '" + line + "'");
    }
    return new Event(
        Long.parseLong(field[0]),
        field[1],
        EventType.valueOf(field[2]),
        field[3],
        Long.parseLong(field[4]),
        Long.parseLong(field[5]),
        field[6]);
  }

  /** Returns the line of a history, in which tabs and line breaks of the detail are spaces. */
  String line() {
    return String.join(
        "\t",
        String.valueOf(micros),
        process,
        type.name(),
        key,
        String.valueOf(job),
        String.valueOf(execution),
        detail.replaceAll("[\t\r\n]", " "));
  }
}
