package dev.skipjack.demo;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import java.sql.Connection;
import java.time.Instant;
import java.util.UUID;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * The names of the demo's own tables, written by hand as in an application without generated
 * classes.
 */
final class DemoSchema {

  private static final String SCHEMA = "skipjack_demo";

  /** Runs of the demo. */
  static final class Runs {
    static final Table<Record> TABLE = tableOf("runs");
    static final Field<UUID> RUN = column("runs", "run", UUID.class);
    static final Field<Instant> FINISHED_AT = column("runs", "finished_at", Instant.class);
    static final Field<Long> SENDS = column("runs", "sends", Long.class);

    private Runs() {}
  }

  /** The received deliveries. */
  static final class Deliveries {
    static final Table<Record> TABLE = tableOf("deliveries");
    static final Field<UUID> DELIVERY = column("deliveries", "delivery", UUID.class);
    static final Field<UUID> RUN = column("deliveries", "run", UUID.class);
    static final Field<Long> JOB_ID = column("deliveries", "job_id", Long.class);
    static final Field<String> EVENT = column("deliveries", "event", String.class);
    static final Field<String> ACTION = column("deliveries", "action", String.class);
    static final Field<String> REPOSITORY = column("deliveries", "repository", String.class);
    static final Field<Long> SALT = column("deliveries", "salt", Long.class);
    static final Field<String> SECOND_SEND = column("deliveries", "second_send", String.class);

    private Deliveries() {}
  }

  /** Sends that were refused as duplicates. */
  static final class RefusedSends {
    static final Table<Record> TABLE = tableOf("refused_sends");
    static final Field<UUID> DELIVERY = column("refused_sends", "delivery", UUID.class);
    static final Field<UUID> RUN = column("refused_sends", "run", UUID.class);
    static final Field<String> ATTEMPT = column("refused_sends", "attempt", String.class);
    static final Field<String> REFUSED_BY = column("refused_sends", "refused_by", String.class);

    private RefusedSends() {}
  }

  /** The effects of handling deliveries. */
  static final class Effects {
    static final Table<Record> TABLE = tableOf("effects");
    static final Field<UUID> DELIVERY = column("effects", "delivery", UUID.class);
    static final Field<Long> JOB_ID = column("effects", "job_id", Long.class);
    static final Field<String> EVENT = column("effects", "event", String.class);
    static final Field<String> REPOSITORY = column("effects", "repository", String.class);

    private Effects() {}
  }

  /** The number of handled events. */
  static final class EventCounts {
    static final Table<Record> TABLE = tableOf("event_counts");
    static final Field<String> REPOSITORY = column("event_counts", "repository", String.class);
    static final Field<String> EVENT = column("event_counts", "event", String.class);
    static final Field<Long> HANDLED = column("event_counts", "handled", Long.class);

    private EventCounts() {}
  }

  private DemoSchema() {}

  /** Creates or upgrades the tables, with a Flyway history separate from the queue's. */
  static void migrate(DataSource dataSource) {
    Flyway.configure(DemoSchema.class.getClassLoader())
        .dataSource(dataSource)
        .locations("classpath:db/demo")
        .schemas(SCHEMA)
        .defaultSchema(SCHEMA)
        .createSchemas(true)
        .table("skipjack_demo_schema_history")
        .validateMigrationNaming(true)
        .placeholderReplacement(false)
        .cleanDisabled(true)
        .load()
        .migrate();
  }

  /** Returns whether a run of the demo has begun in this database. Creates nothing. */
  static boolean holdsARun(DataSource dataSource) {
    DSLContext db = on(dataSource);
    return exists(db, SCHEMA + ".runs") && db.fetchExists(Runs.TABLE);
  }

  /** Returns whether a table with this name exists. */
  static boolean exists(DSLContext db, String table) {
    return db.fetchSingle("SELECT to_regclass({0}) IS NOT NULL", inline(table))
        .get(0, boolean.class);
  }

  /** Returns a context for statements in the current transaction of {@code connection}. */
  static DSLContext on(Connection connection) {
    return DSL.using(connection, SQLDialect.POSTGRES);
  }

  /** Returns a context in which each statement is committed separately. */
  static DSLContext on(DataSource dataSource) {
    return DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  private static Table<Record> tableOf(String table) {
    return table(name(SCHEMA, table));
  }

  private static <T> Field<T> column(String table, String column, Class<T> type) {
    return field(name(SCHEMA, table, column), type);
  }
}
