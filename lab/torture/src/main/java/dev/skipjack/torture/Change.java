package dev.skipjack.torture;

import java.util.List;

/**
 * A change of an aggregate, which an event reports.
 *
 * @param number the number among the committed changes of the aggregate, from 1
 * @param isPoison whether the destination rejects the event
 */
record Change(int aggregate, long number, boolean isPoison) {

  static final String AGGREGATE_TYPE = "torture";

  static final int AGGREGATES = 100;

  /** The number of additional aggregates with slow destinations. */
  static final int SLOW_AGGREGATES = 9;

  /**
   * Creates the tables that producers write in the transactions that record events. They show which
   * transactions have committed, and in which order. {@code @} stands for the schema.
   */
  static final List<String> TABLES =
      List.of(
          "CREATE TABLE IF NOT EXISTS @torture_aggregates (id integer PRIMARY KEY, changes bigint NOT NULL)",
          "INSERT INTO @torture_aggregates SELECT n, 0 FROM generate_series(1, %d) AS n ON CONFLICT DO NOTHING"
              .formatted(AGGREGATES + SLOW_AGGREGATES),
          "CREATE TABLE IF NOT EXISTS @torture_changes (event_id uuid PRIMARY KEY, aggregate integer NOT NULL, number bigint NOT NULL,"
              + " poison boolean NOT NULL)");

  private static final String POISON = "/poison";

  String text() {
    return aggregate + "/" + number + (isPoison ? POISON : "");
  }

  /** Returns whether the destination of an aggregate's events is slow until it has recovered. */
  static boolean isSlow(int aggregate) {
    return aggregate > AGGREGATES;
  }

  static Change parse(String text) {
    String[] part = text.split("/", -1);
    return new Change(Integer.parseInt(part[0]), Long.parseLong(part[1]), isPoison(text));
  }

  /** Returns whether the destination rejects an event with this payload. */
  static boolean isPoison(String text) {
    return text.endsWith(POISON);
  }
}
