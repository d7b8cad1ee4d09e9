package dev.skipjack.store.jooq.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@QueueTest
class JsonScanTest {

  /**
   * Escapes, repeated names and leading zeros can make the server's text shorter than predicted.
   */
  @Test
  void theLengthOfTheServersTextIsPredicted(QueueDatabase database) throws SQLException {
    Random random = new Random(42);
    List<String> documents =
        Stream.concat(
                Stream.generate(() -> document(random)).limit(1_000), PayloadCorpus.good().stream())
            .toList();
    try (Connection connection = database.connection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT octet_length(document::jsonb::text) FROM unnest(?) WITH ORDINALITY AS each"
                    + " (document, n) ORDER BY n")) {
      statement.setArray(1, connection.createArrayOf("text", documents.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        for (int i = 0; row.next(); i++) {
          String json = documents.get(i);
          JsonScan scan = new JsonScan(json);
          assertThat(scan.problem()).isNull();
          long length = json.getBytes(StandardCharsets.UTF_8).length + scan.growth();
          if (i < 1_000) {
            assertThat(length).as(json).isEqualTo(row.getLong(1));
          }
          assertThat(length).isGreaterThanOrEqualTo(row.getLong(1));
        }
      }
    }
  }

  private static String document(Random random) {
    StringBuilder number = new StringBuilder(random.nextBoolean() ? "-" : "");
    number.append(1 + random.nextInt(9));
    for (int digits = random.nextInt(5); digits > 0; digits--) {
      number.append(random.nextInt(10));
    }
    if (random.nextBoolean()) {
      number.append('.').append(1_000 + random.nextInt(9_000));
    }
    if (random.nextBoolean()) {
      number
          .append(random.nextBoolean() ? 'e' : 'E')
          .append(new String[] {"", "+", "-"}[random.nextInt(3)])
          .append(new String[] {"", "00"}[random.nextInt(2)])
          .append(random.nextInt(300));
    }
    return "{ \"a\": [" + number + ",\n1 ,\"ü,:\", {}],\"b\":{\"c\" : " + number + "}}";
  }
}
