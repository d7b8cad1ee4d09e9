package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.LatencyProducer.Target;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The base class for the other libraries, which creates an empty schema and empties its tables. */
abstract class OtherQueue implements Contender {

  private final BenchmarkDatabase database;
  private final String schema;
  private final List<String> tables;
  private final int connections;

  /**
   * @param schema the name of the schema, without the prefix of the benchmarks' schemas
   * @param tables the tables that hold jobs, referencing tables first
   * @param connections the maximum size of the connection pool
   */
  OtherQueue(BenchmarkDatabase database, String schema, List<String> tables, int connections) {
    this.database = database;
    this.schema = BenchmarkDatabase.SCHEMA + "_" + schema;
    this.tables = tables;
    this.connections = connections;
  }

  final BenchmarkDatabase database() {
    return database;
  }

  final String schema() {
    return schema;
  }

  /**
   * Returns false: an enqueue can wake a worker only within the process, and polling finds jobs of
   * any process.
   */
  @Override
  public boolean enqueuesElsewhere() {
    return false;
  }

  @Override
  public final @Nullable Target producer() {
    return null;
  }

  @Override
  public DataSource pool() {
    return database.pool(connections, schema);
  }

  /** Creates the schema, which is dropped first if it exists. */
  final void createSchema() throws SQLException {
    database.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema);
  }

  /**
   * Deletes the rows and keeps the tables' pages. PostgreSQL plans sequential scans for a table
   * without pages, and a prepared statement keeps such a plan while the table grows. Tables in use
   * never reach that state, and Skipjack's statements exclude such plans.
   */
  @Override
  public final void empty() throws SQLException {
    for (String table : tables) {
      database.execute("DELETE FROM " + schema + "." + table);
    }
    database.execute("VACUUM (TRUNCATE false, INDEX_CLEANUP true, ANALYZE) " + qualified());
    database.checkpoint();
  }

  @Override
  public final void settle() throws SQLException {
    database.execute("VACUUM (ANALYZE) " + qualified());
    database.checkpoint();
  }

  private String qualified() {
    return tables.stream().map(table -> schema + "." + table).collect(Collectors.joining(", "));
  }

  /**
   * Returns the file name, with the version but without the extension, of the jar that contains a
   * class.
   */
  static String library(Class<?> type) {
    String jar =
        Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getFileName()
            .toString();
    return jar.replaceFirst("\\.jar$", "");
  }
}
