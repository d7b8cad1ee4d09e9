package dev.skipjack.torture;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Inserts rows as a hostile or faulty producer could: in each, one column has an odd value of its
 * type. The database may refuse a row. If it accepts one, the row must not affect others.
 */
final class OddRows {

  private static final long PAUSE_MILLIS = 100;
  private static final long PAUSE_AFTER_OUTAGE_MILLIS = 1_000;

  /** Matches the SQLSTATEs with which the server refuses a value. */
  private static final String REFUSED = "2[23].*";

  /** An odd value of a column; both are SQL. */
  private record Odd(String column, String value) {}

  /**
   * The rows to insert. In all texts, {@code @} stands for the schema.
   *
   * @param table the table
   * @param usual the columns and their usual values, which are SQL
   * @param odd the columns and their odd values
   * @param after a statement that is executed after each row; empty if there is none
   */
  record Source(
      String table, Map<String, String> usual, Map<String, List<String>> odd, String after) {}

  private final DataSource dataSource;
  private final String schema;
  private final Source source;
  private final List<Odd> values = new ArrayList<>();
  private final Thread thread = new Thread(this::insertRows, "odd-rows");
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  private OddRows(DataSource dataSource, String schema, Source source, long seed) {
    this.dataSource = dataSource;
    this.schema = schema;
    this.source = source;
    source.odd().forEach((column, all) -> all.forEach(one -> values.add(new Odd(column, one))));
    Collections.shuffle(values, new Random(seed));
  }

  /**
   * Starts inserting rows, until {@link #stop} is called or the JVM ends.
   *
   * @param dataSource supplies direct connections, which network faults do not affect
   */
  static OddRows start(DataSource dataSource, String schema, Source source, long seed) {
    OddRows rows = new OddRows(dataSource, schema, source, seed);
    rows.thread.setDaemon(true);
    rows.thread.start();
    return rows;
  }

  long accepted() {
    return accepted.get();
  }

  long refused() {
    return refused.get();
  }

  private void insertRows() {
    try {
      for (int n = 0; ; n++) {
        Odd odd = values.get(n % values.size());
        TimeUnit.MILLISECONDS.sleep(insert(odd) ? PAUSE_MILLIS : PAUSE_AFTER_OUTAGE_MILLIS);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns false if the server is unavailable. */
  private boolean insert(Odd odd) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      try {
        statement.execute(sql(odd));
        accepted.incrementAndGet();
      } catch (SQLException failure) {
        if (!String.valueOf(failure.getSQLState()).matches(REFUSED)) {
          throw failure;
        }
        refused.incrementAndGet();
      }
      if (!source.after().isEmpty()) {
        statement.execute(source.after().replace("@", schema + "."));
      }
      return true;
    } catch (SQLException unavailable) {
      return false;
    }
  }

  private String sql(Odd odd) {
    Map<String, String> row = new LinkedHashMap<>(source.usual());
    row.put(odd.column(), odd.value());
    String columns = row.keySet().stream().collect(Collectors.joining(", "));
    String all = row.values().stream().collect(Collectors.joining(", "));
    return "INSERT INTO %s (%s) VALUES (%s)"
        .formatted(source.table(), columns, all)
        .replace("@", schema + ".");
  }

  /** Stops. Nothing is inserted after this method returns. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
