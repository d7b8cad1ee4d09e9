package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Task.TASK;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLWarning;

/** Compares the cost of row locks with that of leases for work in progress (ADR 0036). */
@QueueTest
class HeldLockTest {

  private static final int HOLDERS = 20;
  private static final int CHANGED = 1_000;
  private static final long MEASURED_NANOS = Duration.ofSeconds(8).toNanos();

  /** Matches the number of dead rows in the reports of PostgreSQL 14 and of later versions. */
  private static final Pattern DEAD =
      Pattern.compile(
          "(\\d+) (?:are dead but not yet removable|dead row versions cannot be removed)");

  private static final RowClaim<Record> OPEN_TASK =
      SkipLocked.on(TASK).where(TASK.STATE.eq(DSL.inline("open"))).orderBy(TASK.ID);

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.db.execute("ALTER TABLE task SET (autovacuum_enabled = off)");
  }

  /** How a task is held while it is being worked on. */
  enum Style {
    LOCK {
      @Override
      AutoCloseable hold(Fixture fixture) {
        Session session = fixture.session();
        assertThat(OPEN_TASK.claim(session.tx)).hasSize(1);
        return () -> {
          // The server notices a closed connection later.
          session.rollback();
          session.close();
        };
      }
    },
    LEASE {
      @Override
      AutoCloseable hold(Fixture fixture) {
        assertThat(
                OPEN_TASK
                    .lease(TASK.LEASED_UNTIL, TASK.LEASED_BY, Fixture.LEASE)
                    .claim(fixture.db)
                    .rows())
            .hasSize(1);
        return () -> {};
      }
    };

    abstract AutoCloseable hold(Fixture fixture);
  }

  /**
   * A single held row lock prevents VACUUM from removing dead rows from any table in the database.
   */
  @ParameterizedTest
  @CsvSource({"LOCK, 1000", "LEASE, 0"})
  void vacuumCannotRemoveRowsThatBecameDeadDuringAHeldLock(Style style, int remaining)
      throws Exception {
    fixture.tasks(1);
    fixture.seats("A", CHANGED);
    AutoCloseable held = style.hold(fixture);
    try {
      fixture.db.execute("UPDATE seat SET price = 1");

      assertThat(deadAfterVacuum("seat")).isEqualTo(remaining);
    } finally {
      held.close();
    }
    assertThat(deadAfterVacuum("seat")).isZero();
  }

  @Test
  void aHeldLockOccupiesAConnectionAndALeaseDoesNot(QueueDatabase database) throws SQLException {
    fixture.tasks(6);
    try (HikariDataSource pool = database.newDataSource(4)) {
      DSLContext db = DSL.using(pool, SQLDialect.POSTGRES);
      db.transaction(
          one -> {
            OPEN_TASK.claim(one.dsl());
            DSL.using(pool, SQLDialect.POSTGRES)
                .transaction(
                    two -> {
                      OPEN_TASK.claim(two.dsl());
                      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(2);
                    });
          });
      for (int i = 0; i < 6; i++) {
        OPEN_TASK.lease(TASK.LEASED_UNTIL, TASK.LEASED_BY, Fixture.LEASE).claim(db);
      }
      assertThat(db.fetchCount(TASK, TASK.LEASED_BY.isNotNull())).isEqualTo(6);
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  /**
   * Prints the figures of ADR 0036: the times of short tasks while 20 other tasks are in progress.
   */
  @Test
  @Tag("soak")
  void heldLocksMakeShortTasksSlow() throws Exception {
    Map<Style, Long> dead = new EnumMap<>(Style.class);
    for (int round = 1; round <= 2; round++) {
      for (Style style : Style.values()) {
        dead.put(style, measure(style, round));
      }
    }
    assertThat(dead).containsEntry(Style.LEASE, 0L);
    assertThat(dead.get(Style.LOCK)).isGreaterThan(HOLDERS);
  }

  private long measure(Style style, int round) throws Exception {
    fixture.db.execute("TRUNCATE task");
    fixture.db.execute("CREATE INDEX IF NOT EXISTS open_tasks ON task (id) WHERE state = 'open'");
    fixture.tasks(200_000);
    fixture.db.execute("VACUUM ANALYZE task");
    List<AutoCloseable> held = new ArrayList<>();
    for (int i = 0; i < HOLDERS; i++) {
      held.add(style.hold(fixture));
    }
    List<Long> micros = new ArrayList<>();
    long occupied;
    try (Session worker = fixture.session()) {
      long end = System.nanoTime() + MEASURED_NANOS;
      for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
        shortTask(worker, style);
        micros.add((System.nanoTime() - now) / 1_000);
        if (micros.size() % 2_000 == 0) {
          deadAfterVacuum("task");
        }
      }
      occupied =
          (Long)
              fixture.db.fetchValue(
                  "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND"
                      + " datname = current_database()");
    }
    long dead = deadAfterVacuum("task");
    for (AutoCloseable each : held) {
      each.close();
    }
    System.out.printf(
        "round %d, %s: %d short tasks, median of the first 1,000: %d us, of the last 1,000: %d us;"
            + " %d connections idle in a transaction; %d dead rows after VACUUM%n",
        round,
        style,
        micros.size(),
        median(micros.subList(0, Math.min(1_000, micros.size()))),
        median(micros.subList(Math.max(0, micros.size() - 1_000), micros.size())),
        occupied,
        dead);
    return dead;
  }

  private static void shortTask(Session worker, Style style) throws SQLException {
    RowClaim<Record> free =
        style == Style.LOCK ? OPEN_TASK : OPEN_TASK.where(TASK.LEASED_UNTIL.isNull());
    long id = free.claim(worker.tx).get(0).get(TASK.ID);
    worker.tx.update(TASK).set(TASK.STATE, "done").where(TASK.ID.eq(id)).execute();
    worker.commit();
  }

  private static long median(List<Long> values) {
    long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
    return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
  }

  /**
   * Returns the number of dead rows that VACUUM reports. The server's statistics are updated only
   * later.
   */
  private long deadAfterVacuum(String table) throws SQLException {
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("VACUUM (VERBOSE) " + table);
      for (SQLWarning report = statement.getWarnings();
          report != null;
          report = report.getNextWarning()) {
        Matcher dead = DEAD.matcher(textOf(report));
        if (dead.find()) {
          return Long.parseLong(dead.group(1));
        }
      }
    }
    throw new AssertionError("VACUUM did not report dead rows");
  }

  /** PostgreSQL 14 reports dead rows in the detail of the message. */
  private static String textOf(SQLWarning report) {
    return report instanceof PSQLWarning warning
        ? String.valueOf(warning.getServerErrorMessage())
        : String.valueOf(report.getMessage());
  }
}
