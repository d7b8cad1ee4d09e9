package dev.skipjack.importing;

import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of River's jobs. A client locks the rows that it takes, and changes their state and
 * attempt in the same statement. The import deletes a row only if no column has changed since it
 * was read, so a row is either taken or imported.
 */
final class RiverSource extends Source {

  private static final String VERSION = version("octet_length(source.args::text)", "source.*");

  RiverSource(String table) {
    super("river", table);
  }

  @Override
  void check(Connection connection) throws SQLException {
    columns(
        connection,
        tables(),
        List.of(
            "id",
            "args",
            "attempt",
            "kind",
            "max_attempts",
            "priority",
            "queue",
            "scheduled_at",
            "state",
            "tags"));
  }

  @Override
  List<String> names(Connection connection) throws SQLException {
    return texts(
        connection,
        "SELECT DISTINCT kind FROM %s WHERE state::text NOT IN ('completed', 'cancelled')"
            .formatted(tables()));
  }

  @Override
  List<SourceRow> page(
      Connection connection, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException {
    String sql =
        """
        SELECT id, kind, %2$s AS args, args IS NOT NULL AS has_args, attempt, max_attempts, priority, queue, scheduled_at, state::text AS state, tags,
               %3$s AS version
          FROM %1$s AS source
         WHERE id > ? AND kind = ANY (?) AND state::text NOT IN ('completed', 'cancelled')
         ORDER BY id
         LIMIT ?
        """
            .formatted(tables(), bounded("args::text"), VERSION);
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setLong(1, after == null ? 0 : Long.parseLong(after.key().first()));
      query.setArray(2, connection.createArrayOf("text", only.toArray()));
      query.setInt(3, limit);
      List<SourceRow> rows = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.add(read(row));
        }
      }
      return rows;
    }
  }

  private static SourceRow read(ResultSet row) throws SQLException {
    String id = row.getString("id");
    String state = row.getString("state");
    Instant due = row.getObject("scheduled_at", OffsetDateTime.class).toInstant();
    Array tags = row.getArray("tags");
    String args = row.getString("args");
    return new SourceRow(
        row.getString("kind"),
        id,
        new SourceRow.Key(id, "", row.getString("version")),
        due,
        // In River, 1 is the default and is served first; 4 is served last.
        1 - row.getInt("priority"),
        row.getInt("attempt"),
        row.getInt("max_attempts"),
        null,
        row.getString("queue"),
        tags == null ? List.of() : List.of((String[]) tags.getArray()),
        args == null ? null : args.getBytes(StandardCharsets.UTF_8),
        null,
        null,
        switch (state) {
          case "available", "scheduled", "retryable" ->
              args == null && row.getBoolean("has_args") ? "data is larger than 1 MiB" : null;
          case "running" -> "running: it ends in River";
          case "discarded" -> "failed for good: retry it in River first if it must run";
          default -> "in state %s: it waits for other jobs".formatted(state);
        });
  }

  @Override
  List<Part> parts() {
    return List.of(new Part("job", tables()));
  }

  @Override
  String due(String copy) {
    return "(%s #>> '{job,0,scheduled_at}')::timestamptz".formatted(copy);
  }

  @Override
  String take() {
    return """
    taken AS (
      DELETE FROM %s AS source USING given
       WHERE source.id = given.key1::bigint AND %s = given.key3::bigint
      RETURNING given.position, json_build_object('job', json_build_array(row_to_json(source.*))) AS copy
    )
    """
        .formatted(tables(), VERSION);
  }
}
