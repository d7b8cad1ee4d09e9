package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that Java and the schema accept the same names and numbers. */
@QueueTest
class NamesAndLimitsTest {

  private static final String CHARACTERS = "abz09_.-AZ /:'\"\n\u0001é\u00df\u0661日 ";

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void jobsThatSetNoLimitHaveTheSameAttemptsFromJavaAndFromSql() {
    String standard = String.valueOf(JobType.DEFAULT_MAX_ATTEMPTS);

    fixture.value("SELECT @enqueue('k', '{}')");
    assertThat(fixture.value("SELECT max_attempts FROM @jobs")).isEqualTo(standard);
    assertThat(
            fixture.value(
                "SELECT string_agg(DISTINCT column_default, ',') FROM information_schema.columns"
                    + " WHERE column_name = 'max_attempts' AND column_default IS NOT NULL"
                    + " AND table_schema = '"
                    + fixture.database.schema()
                    + "'"))
        .isEqualTo(standard);
  }

  @Test
  void javaTheTablesAndTheFunctionAcceptTheSameNames() throws SQLException {
    Random random = new Random(7);
    List<String> names =
        Stream.concat(
                Stream.of("", "a", "a".repeat(63), "a".repeat(64), "ü".repeat(31), "Emails", "a\n"),
                Stream.generate(() -> name(random)).limit(300))
            .distinct()
            .toList();
    List<String> accepted =
        names.stream().filter(name -> passes(() -> JobType.of(name, String.class))).toList();

    assertThat(accepted).hasSizeBetween(30, names.size() - 30);
    assertThat(names.stream().filter(name -> passes(() -> type().onQueue(name))).toList())
        .isEqualTo(accepted);
    assertThat(accepted("INSERT INTO @job_queues (queue) VALUES (?)", names)).isEqualTo(accepted);
    assertThat(accepted("INSERT INTO @jobs (kind, payload) VALUES (?, '1')", names))
        .isEqualTo(accepted);
    assertThat(accepted("INSERT INTO @jobs (queue, kind, payload) VALUES (?, 'k', '1')", names))
        .isEqualTo(accepted);
    assertThat(
            accepted(
                "INSERT INTO @job_schedules (name, cron, origin, queue, kind, payload) VALUES (gen_random_uuid()::text, '', 'code', ?, 'k', '1')",
                names))
        .isEqualTo(accepted);
    assertThat(
            accepted(
                "INSERT INTO @job_schedules (name, cron, origin, queue, kind, payload) VALUES (gen_random_uuid()::text, '', 'code', 'q', ?, '1')",
                names))
        .isEqualTo(accepted);
    assertThat(accepted("SELECT @enqueue(?)", names)).isEqualTo(accepted);
    assertThat(accepted("SELECT @enqueue('k', queue => ?)", names)).isEqualTo(accepted);
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true", "1000000, true", "1000001, false"})
  void attemptsAreLimitedAlike(int attempts, boolean allowed) throws SQLException {
    List<String> given = List.of(String.valueOf(attempts));
    List<String> expected = allowed ? given : List.of();

    assertThat(passes(() -> type().maxAttempts(attempts))).isEqualTo(allowed);
    assertThat(
            accepted(
                "INSERT INTO @jobs (kind, payload, max_attempts) VALUES ('k', '1', ?::int)", given))
        .isEqualTo(expected);
    assertThat(
            accepted(
                "INSERT INTO @job_queues (queue, default_max_attempts) VALUES ('q', ?::int)",
                given))
        .isEqualTo(expected);
    assertThat(accepted("SELECT @enqueue('k', max_attempts => ?::int)", given)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id = 0",
        "id = -5",
        "attempts = -1, uncounted_attempts = -1",
        "priority = 101",
        "priority = -101",
        "status = 'done'",
        "scheduled_at = 'infinity'",
        "scheduled_at = '-infinity'",
        "unique_key = ''",
        "unique_key = repeat('x', 513)",
        "ordering_key = ''",
        "unique_until = 'never'"
      })
  void tableRefusesValuesThatNoJobMayHave(String change) {
    fixture.enqueue(1);

    assertThat(stateOf("UPDATE @jobs SET " + change)).isEqualTo("23514");
  }

  private static JobType<String> type() {
    return JobType.of("k", String.class);
  }

  private static boolean passes(Supplier<?> check) {
    try {
      Object unused = check.get();
      return true;
    } catch (IllegalArgumentException refused) {
      return false;
    }
  }

  private static String name(Random random) {
    int length = 1 + random.nextInt(4);
    // Every other name has only characters that are allowed.
    int choice = random.nextBoolean() ? 8 : CHARACTERS.length();
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < length; i++) {
      name.append(CHARACTERS.charAt(random.nextInt(choice)));
    }
    return name.toString();
  }

  private String stateOf(String sql) {
    try (Connection connection = fixture.database.connection();
        PreparedStatement statement = connection.prepareStatement(fixture.inSchema(sql))) {
      statement.execute();
      return "00000";
    } catch (SQLException refusal) {
      return refusal.getSQLState();
    }
  }

  private List<String> accepted(String sql, List<String> values) throws SQLException {
    List<String> accepted = new ArrayList<>();
    try (Connection connection = fixture.database.connection();
        PreparedStatement statement = connection.prepareStatement(fixture.inSchema(sql))) {
      for (String value : values) {
        statement.setString(1, value);
        try {
          statement.execute();
          accepted.add(value);
        } catch (SQLException refusal) {
          assertThat(refusal.getSQLState()).as(sql).isIn("23514", "22023");
        }
      }
    }
    return accepted;
  }
}
