package dev.skipjack.examples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The database of an example: the one that the first argument names, or an embedded server that
 * starts empty and stops with the example. The queue's schema is migrated. The example's own tables
 * are in a separate schema, so they cannot collide with other tables.
 */
public final class ExampleDatabase implements AutoCloseable {

  private static final String SCHEMA = "skipjack_examples";

  private final @Nullable EmbeddedPostgres server;
  private final HikariDataSource pool;

  private ExampleDatabase(@Nullable EmbeddedPostgres server, String jdbcUrl) {
    this.server = server;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setSchema(SCHEMA);
    this.pool = new HikariDataSource(config);
  }

  /**
   * Connects and migrates.
   *
   * @param args the arguments of the example's main method: a JDBC URL, or nothing
   */
  public static ExampleDatabase open(String... args) {
    ExampleDatabase database = args.length > 0 ? new ExampleDatabase(null, args[0]) : embedded();
    try {
      Migrations.migrate(database.pool);
      DSL.using(database.pool, SQLDialect.POSTGRES)
          .execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA);
      return database;
    } catch (RuntimeException failure) {
      database.close();
      throw failure;
    }
  }

  private static ExampleDatabase embedded() {
    EmbeddedPostgres server = EmbeddedPostgres.builder().purpose("examples").fresh(true).start();
    try {
      return new ExampleDatabase(server, server.jdbcUrl("postgres"));
    } catch (RuntimeException failure) {
      server.close();
      throw failure;
    }
  }

  /** Returns a connection pool on which unqualified names refer to the example's own tables. */
  public DataSource dataSource() {
    return pool;
  }

  /**
   * Returns the outcome of each attempt of a job according to the audit, for example {@code attempt
   * 1: failed}.
   */
  public static List<String> audit(DataSource dataSource, JobId job) {
    return DSL.using(dataSource, SQLDialect.POSTGRES)
        .fetch(
            "SELECT 'attempt ' || attempt || ': ' || status FROM skipjack.job_executions"
                + " WHERE job_id = ? ORDER BY attempt",
            job.value())
        .getValues(0, String.class);
  }

  @Override
  public void close() {
    pool.close();
    if (server != null) {
      server.close();
    }
  }
}
