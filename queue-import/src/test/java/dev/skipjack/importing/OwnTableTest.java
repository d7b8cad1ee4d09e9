package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests the SQL of docs/guides/from-another-queue.md. */
@QueueTest
class OwnTableTest {

  private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

  @Test
  void theStatementOfTheGuideMovesTheWaitingRows(QueueDatabase database)
      throws IOException, SQLException {
    Matcher block = SQL.matcher(Files.readString(Path.of("../docs/guides/from-another-queue.md")));
    assertThat(block.find()).isTrue();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE my_jobs (id bigint, payload jsonb, run_at timestamptz, status text)");
      statement.execute(
          "INSERT INTO my_jobs VALUES (1, '{\"a\": 1}', '2090-01-01', 'waiting'), (2, '{}', now(),"
              + " 'running')");
      statement.execute(block.group(1));
      try (ResultSet row =
          statement.executeQuery(
              "SELECT string_agg(concat_ws(' ', kind, payload, scheduled_at::date), ''), (SELECT count(*) FROM my_jobs) FROM %s.jobs"
                  .formatted(database.schema()))) {
        row.next();
        assertThat(row.getString(1)).startsWith("my-kind {\"a\": 1} ");
        assertThat(row.getLong(2)).isEqualTo(1);
      }
    }
  }
}
