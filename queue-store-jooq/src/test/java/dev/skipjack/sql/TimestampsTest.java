package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class TimestampsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "infinity",
        "-infinity",
        "4713-01-01 00:00:00+00 BC",
        "0001-12-31 23:59:59.999999+00 BC",
        "0001-01-01 00:00:00+00",
        "1969-12-31 23:59:59.000001+00",
        "2026-11-26 01:02:03.456789+00",
        "10000-01-01 00:00:00+00",
        "294276-12-31 23:59:59.999999+00"
      })
  void everyTimeThatTheServerStoresIsReadAndSentBack(String stored, QueueDatabase database)
      throws SQLException {
    try (Connection connection = database.connection();
        Statement read = connection.createStatement();
        ResultSet row = read.executeQuery("SELECT '%s'::timestamptz".formatted(stored));
        PreparedStatement compare =
            connection.prepareStatement(
                "SELECT cast(? AS timestamptz) = '%s'::timestamptz".formatted(stored))) {
      row.next();
      compare.setString(1, Timestamps.text(row.getObject(1, OffsetDateTime.class).toInstant()));
      try (ResultSet same = compare.executeQuery()) {
        same.next();
        assertThat(same.getBoolean(1)).isTrue();
      }
    }
  }
}
