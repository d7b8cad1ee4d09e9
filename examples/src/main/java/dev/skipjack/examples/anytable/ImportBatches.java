package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.LINE;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.skiplocked.RowClaim;
import dev.skipjack.skiplocked.SkipLocked;
import java.io.PrintStream;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Several processes import the lines of a file, which was loaded into a table, in batches. A batch
 * stays locked until it is committed with its results.
 *
 * <p>What goes wrong: a line cannot be read and is rejected. A process crashes halfway through a
 * batch; the database rolls it back, and another process imports all of its lines.
 */
public final class ImportBatches {

  private final DSLContext db;

  ImportBatches(DataSource dataSource) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  // snippet: lines
  /** Uses {@code inline}, because the planner uses the index on new lines only for a constant. */
  private static final RowClaim<Record> NEW_LINES =
      SkipLocked.on(LINE).where(LINE.STATE.eq(DSL.inline("new"))).orderBy(LINE.NUMBER);

  /** Imports the next lines in one transaction and returns their number, which is 0 at the end. */
  int importBatch(int size, ToIntFunction<String> parser) {
    return db.transactionResult(
        tx -> {
          var lines = NEW_LINES.limit(size).claim(tx.dsl());
          for (Record line : lines) {
            String state = importLine(tx.dsl(), line.get(LINE.TEXT), parser);
            tx.dsl()
                .update(LINE)
                .set(LINE.STATE, state)
                .where(LINE.NUMBER.eq(line.get(LINE.NUMBER)))
                .execute();
          }
          return lines.size();
        });
  }

  // end of snippet

  private static String importLine(DSLContext tx, String text, ToIntFunction<String> parser) {
    try {
      tx.execute("INSERT INTO price (cents) VALUES (?)", parser.applyAsInt(text));
      return "done";
    } catch (NumberFormatException unreadable) {
      return "rejected";
    }
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) {
    ImportBatches imports = new ImportBatches(dataSource);
    imports.create(25);
    out.println("first batch: " + imports.importBatch(10, Integer::parseInt));
    try {
      imports.importBatch(10, ImportBatches::dieAtLine15);
    } catch (IllegalStateException died) {
      out.println("second batch: " + died.getMessage());
    }
    out.println("imported so far: " + imports.count("done"));
    while (imports.importBatch(10, Integer::parseInt) > 0) {
      // Until no line is left.
    }
    out.println("imported: " + imports.count("done") + ", rejected: " + imports.count("rejected"));
  }

  private static int dieAtLine15(String text) {
    if (text.equals("15")) {
      throw new IllegalStateException("the process died at line 15");
    }
    return Integer.parseInt(text);
  }

  /** Creates the tables and the given number of lines. Every tenth line is unreadable. */
  void create(int lines) {
    db.execute("DROP TABLE IF EXISTS price, line");
    db.execute("CREATE TABLE price (cents integer NOT NULL)");
    db.execute(Tables.Line.DDL);
    db.execute(
        "INSERT INTO line (number, text) SELECT n, CASE WHEN n % 10 = 0 THEN '?' ELSE n::text END"
            + " FROM generate_series(1, ?) n",
        lines);
  }

  int count(String state) {
    return db.fetchCount(LINE, LINE.STATE.eq(state));
  }
}
