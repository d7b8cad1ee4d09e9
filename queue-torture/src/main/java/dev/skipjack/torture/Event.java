package dev.skipjack.torture;

/**
 * One line of a history.
 *
 * @param micros when, by the clock of this machine, whatever that of the process says
 * @param process who tells it; of a fault, whom it strikes, {@link #ALL} for everybody
 * @param type what
 * @param key the request's key, or the number of the fault; {@link #NONE} if there is none
 * @param job the job, 0 if it is not known
 * @param execution the attempt, 0 if there is none
 * @param detail more, as the type says; without tabs and line ends
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

  /** Reads a line as {@link #line} writes them. */
  static Event parse(String line) {
    String[] field = line.split("\t", -1);
    if (field.length != FIELDS) {
      throw new IllegalArgumentException("No line of a history: '" + line + "'");
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
