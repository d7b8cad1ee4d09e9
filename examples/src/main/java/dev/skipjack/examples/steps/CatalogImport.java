package dev.skipjack.examples.steps;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import dev.skipjack.steps.Batch;
import dev.skipjack.steps.BatchId;
import dev.skipjack.steps.BatchStatus;
import dev.skipjack.steps.Batches;
import dev.skipjack.steps.DeadPolicy;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Imports the rows of a catalog as the jobs of a batch. When the last one has ended, a job reports
 * the result, once.
 *
 * <p>What goes wrong: two rows have no price, so their jobs are dead. The report counts them, and
 * an operator can fix and redrive them.
 */
public final class CatalogImport {

  private static final int ROWS = 100_000;

  /** The number of rows that are added in one transaction. */
  private static final int PART = 10_000;

  record Row(int number, String price) {}

  record Report(long batch) {}

  static final JobType<Row> IMPORT_ROW = JobType.of("import-row", Row.class).onQueue("rows");
  static final JobType<Report> REPORT = JobType.of("report-import", Report.class);

  private final DSLContext db;
  private final Batches batches;
  private final PrintStream out;
  private final CountDownLatch reported = new CountDownLatch(1);

  CatalogImport(DataSource dataSource, JobQueue queue, PrintStream out) {
    this.db = DSL.using(dataSource, SQLDialect.POSTGRES);
    this.batches = Batches.on(queue);
    this.out = out;
  }

  // snippet: batch
  BatchId start(List<Row> rows) {
    Batch batch = batches.open("catalog");
    for (int from = 0; from < rows.size(); from += PART) {
      batch.add(IMPORT_ROW, rows.subList(from, Math.min(from + PART, rows.size())));
    }
    return batch
        .onFinish(REPORT, id -> new Report(id.value()))
        .whenDead(DeadPolicy.COUNT) // a dead job has ended, too
        .seal();
  }

  @JobHandler("report-import")
  void report(Report report) {
    BatchStatus status = batches.find(new BatchId(report.batch())).orElseThrow();
    out.println("%d rows, %d of them dead".formatted(status.total(), status.dead()));
    reported.countDown();
  }

  // end of snippet

  @JobHandler("import-row")
  Outcome importRow(Row row) {
    if (row.price().isEmpty()) {
      return Outcome.dead("row " + row.number() + " has no price");
    }
    db.execute(
        "INSERT INTO catalog VALUES (?, ?::numeric) ON CONFLICT (number) DO UPDATE"
            + " SET price = excluded.price",
        row.number(),
        row.price());
    return Outcome.completed();
  }

  /** Returns at least a thousand rows, of which two have no price. */
  static List<Row> rows(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(number -> new Row(number, number == 7 || number == 1_000 ? "" : number + ".99"))
        .toList();
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), ROWS, System.out);
    }
  }

  static void run(DataSource dataSource, int rows, PrintStream out) throws InterruptedException {
    DSLContext db = DSL.using(dataSource, SQLDialect.POSTGRES);
    db.execute("DROP TABLE IF EXISTS catalog");
    db.execute("CREATE TABLE catalog (number integer PRIMARY KEY, price numeric NOT NULL)");
    JobQueue queue = JobQueue.on(dataSource);
    CatalogImport imports = new CatalogImport(dataSource, queue, out);
    Worker.Builder builder = Worker.on(queue).queue("rows", 8).queue("default", 1);
    JobHandlers.of(imports).addTo(builder);
    try (Worker worker = builder.start()) {
      out.println("worker " + worker.id() + " has begun");
      BatchId batch = imports.start(rows(rows));
      while (!imports.reported.await(1, TimeUnit.SECONDS)) {
        out.println(imports.batches.find(batch).orElseThrow().live() + " rows are left");
      }
      out.println(db.fetchCount(DSL.table("catalog")) + " products");
    }
  }
}
