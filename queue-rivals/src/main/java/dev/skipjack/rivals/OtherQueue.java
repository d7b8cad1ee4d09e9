package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** What the other libraries have in common: a schema that begins empty, and tables to empty. */
abstract class OtherQueue implements Contender {

  private final BenchmarkDatabase database;
  private final String schema;
  private final List<String> tables;
  private final int connections;

  /**
   * @param schema without the prefix of the benchmarks' schemas
   * @param tables those that hold jobs, referencing tables first
   * @param connections the most that its pool opens
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

  /** An enqueue that wakes a worker does it in memory; for a poll, the process does not matter. */
  @Override
  public final boolean enqueuesElsewhere() {
    return false;
  }

  @Override
  public final DataSource pool() {
    return database.pool(connections, schema);
  }

  /** Creates the schema, which is dropped first if it exists. */
  final void createSchema() throws SQLException {
    database.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema);
  }

  /**
   * Deletes the rows and keeps the tables' pages. For a table without pages PostgreSQL plans
   * sequential scans, and a prepared statement keeps such a plan while the table grows. Tables in
   * use do not get into that state, and Skipjack's statements exclude such plans.
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

  /** The name of the jar that holds a class, which contains the version. */
  static String library(Class<?> type) {
    String jar =
        Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getFileName()
            .toString();
    return jar.replaceFirst("\\.jar$", "");
  }
}
