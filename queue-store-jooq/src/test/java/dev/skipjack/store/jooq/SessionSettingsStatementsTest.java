package dev.skipjack.store.jooq;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that database settings that affect text conversion, comparison or planning do not change
 * the effect of a statement.
 */
@QueueTest
class SessionSettingsStatementsTest {

  private record Note(String text) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);
  private static final String ODD = "back\\slash 'quote' \"double\" \u00e4 \u20ac {1,NULL}";

  private Fixture fixture;
  private QueueDatabase database;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    this.fixture = new Fixture(database);
  }

  /** Settings that do not affect each other are tested together. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "IntervalStyle = postgres; row_security = off; plan_cache_mode = force_custom_plan; search_path = ''",
        "IntervalStyle = postgres_verbose; DateStyle = 'SQL, DMY'; TimeZone = 'America/St_Johns'; array_nulls = off",
        "IntervalStyle = sql_standard; DateStyle = 'German'; backslash_quote = off; quote_all_identifiers = on",
        "IntervalStyle = iso_8601; bytea_output = escape; extra_float_digits = -15; client_encoding = LATIN1",
        "transform_null_equals = on; xmloption = document; default_transaction_isolation = serializable",
        "enable_indexscan = off; jit_above_cost = 0; work_mem = '64kB'",
        Fixture.BACKSLASHES_ESCAPE
      })
  void noStatementDependsOnTheSettings(String settings) throws SQLException {
    String name = fixture.value("SELECT quote_ident(current_database())");
    if (settings.equals(Fixture.BACKSLASHES_ESCAPE) && !fixture.canLetBackslashesEscape()) {
      return;
    }
    try (HikariDataSource pool = new HikariDataSource()) {
      for (String setting : settings.split("; ", -1)) {
        fixture.execute("ALTER DATABASE " + name + " SET " + setting);
      }
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setMaximumPoolSize(2);
      RecordingDataSource recording = new RecordingDataSource(pool);
      JobQueue queue = JobQueue.builder(recording.dataSource).schema(database.schema()).build();

      EveryStatement.ofAJobsLife(queue, recording.dataSource);
      EveryStatement.ofAPerson(queue);
      EveryStatement.ofMaintenance(queue, recording.dataSource, database.schema());
      assertValuesComeBackAsTheyWent(queue, pool);
      assertSettingsComeBackAsTheyWent(queue);

      assertThat(recording.failures).isEmpty();
    } finally {
      fixture.execute("ALTER DATABASE " + name + " RESET ALL");
    }
  }

  private void assertValuesComeBackAsTheyWent(JobQueue queue, HikariDataSource pool)
      throws SQLException {
    Instant at = Instant.now().plus(Duration.ofDays(3)).truncatedTo(ChronoUnit.MICROS);
    JobId id =
        queue
            .enqueueAll(
                NOTE, List.of(new Note(ODD), new Note(ODD)), job -> job.at(at).tags("a b", ODD))
            .get(0);
    JobId alone = queue.enqueue(NOTE, new Note(ODD), job -> job.at(at).tags("a b", ODD));
    JobId inSql;
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                fixture.inSchema("SELECT @enqueue('note', '{}', delay => interval '3 days')"))) {
      row.next();
      inSql = new JobId(row.getLong(1));
    }

    for (JobId job : List.of(id, alone)) {
      JobDetails found = queue.reader().find(job).orElseThrow();
      assertThat(found.summary().scheduledAt()).isEqualTo(at);
      assertThat(found.summary().tags()).containsExactlyInAnyOrder("a b", ODD);
      assertThat(queue.codec().decode(requireNonNull(found.payload()), Note.class))
          .isEqualTo(new Note(ODD));
    }
    assertThat(queue.reader().find(inSql).orElseThrow().summary().scheduledAt())
        .isBetween(at.minus(Duration.ofMinutes(5)), at.plus(Duration.ofMinutes(5)));
  }

  /** Asserts that settings are read as they were written. */
  private static void assertSettingsComeBackAsTheyWent(JobQueue queue) {
    QueueSettings wanted =
        QueueSettings.defaults()
            .archiveRetention(Duration.ofDays(3).plusHours(5).plusMillis(7))
            .deadRetention(Duration.ofDays(40))
            .defaultPriority(3);
    queue.admin().configure("kept", wanted);
    assertThat(queue.admin().settings("kept")).contains(wanted);

    queue.admin().configure("kept", queue.admin().settings("kept").orElseThrow());

    assertThat(queue.admin().settings("kept")).contains(wanted);
    QueueState read =
        queue.reader().queues().stream()
            .filter(state -> state.queue().equals("kept"))
            .findFirst()
            .orElseThrow();
    assertThat(read.deadRetention()).isEqualTo(Duration.ofDays(40));
  }
}
