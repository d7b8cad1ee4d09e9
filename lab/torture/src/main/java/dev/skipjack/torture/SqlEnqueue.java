package dev.skipjack.torture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.api.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/** Enqueues jobs with the SQL function {@code enqueue}, as triggers and other languages do. */
final class SqlEnqueue {

  private static final String SQL =
      "SELECT %s.enqueue(kind => ?, payload => ?::json, queue => ?, max_attempts => ?, delay =>"
          + " nullif(?, 0) * interval '1 millisecond', scheduled_at => timestamptz 'epoch' +"
          + " nullif(?, 0) * interval '1 microsecond', headers => ?::jsonb, group_key => nullif(?,"
          + " ''))";

  private static final ObjectMapper JSON = new ObjectMapper();

  private SqlEnqueue() {}

  /** Enqueues a job without a key in the transaction of the connection. */
  static JobId enqueue(Connection connection, String schema, Work work) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement(SQL.formatted(schema))) {
      call.setString(1, work.type().kind());
      call.setString(2, json(work));
      call.setString(3, work.type().queue());
      call.setInt(4, work.isDoomed() ? Work.FEW_ATTEMPTS : Work.MANY_ATTEMPTS);
      call.setInt(5, work.delay());
      call.setLong(6, work.at());
      call.setString(7, json(Map.of(Work.HEADER, work.note())));
      call.setString(8, work.type().group(work).orElse(""));
      try (ResultSet row = call.executeQuery()) {
        row.next();
        return new JobId(row.getLong(1));
      }
    }
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
