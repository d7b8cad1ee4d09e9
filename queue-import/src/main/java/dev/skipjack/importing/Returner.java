package dev.skipjack.importing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Returns imported rows to their source, in one transaction for each batch:
 *
 * <pre>{@code
 * DELETE FROM jobs USING job_imports AS copy WHERE copy.id = ANY (:copies) AND jobs.id = copy.job_id
 *    AND jobs.xmin = copy.imported_by AND status IN ('pending', 'dead') RETURNING copy.id;
 * INSERT INTO scheduled_tasks SELECT ... FROM job_imports, json_populate_recordset(NULL::scheduled_tasks, source_rows -> 'task');
 * DELETE FROM job_imports WHERE id = ANY (:returned);
 * }</pre>
 *
 * <p>Every claim, edit or end of a job writes a new version of its row, so a row that the import
 * wrote belongs to nobody. A claim that has locked the row is waited for, and its new version does
 * not match. If the source has a row with the same key again, nothing is deleted.
 */
final class Returner {

  private static final String CHANGED = "changed meanwhile: run it again";

  private final Source source;
  private final Copies copies;
  private final String identity;
  private final Map<String, String> inserts = new LinkedHashMap<>();

  Returner(Connection connection, Source source, String identity, Copies copies)
      throws SQLException {
    this.source = source;
    this.identity = identity;
    this.copies = copies;
    for (Source.Part part : source.parts()) {
      inserts.put(part.name(), insert(part, columns(connection, part.table())));
    }
  }

  /**
   * A copy.
   *
   * @param returnable whether its job or schedule is as the import has left it
   */
  private record Copy(
      long id,
      String sourceId,
      String name,
      String kind,
      boolean schedule,
      Instant due,
      boolean returnable,
      boolean exists) {}

  /** Returns a copy of each column's name, of those that can be written. */
  private static List<String> columns(Connection connection, String table) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0"
                + " AND NOT attisdropped AND attgenerated = '' ORDER BY attnum")) {
      query.setString(1, table);
      try (ResultSet row = query.executeQuery()) {
        List<String> columns = new ArrayList<>();
        while (row.next()) {
          columns.add(row.getString(1));
        }
        return columns;
      }
    }
  }

  private String insert(Source.Part part, List<String> columns) {
    return """
    INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE
    SELECT %3$s
      FROM %4$s AS copy
     CROSS JOIN LATERAL json_populate_recordset(NULL::%1$s, copy.source_rows -> '%5$s') AS source
     WHERE copy.id = ANY (?)
     ORDER BY copy.id
    %6$s"""
        .formatted(
            part.table(),
            String.join(", ", columns),
            "source." + String.join(", source.", columns),
            copies.table(),
            part.name(),
            part.shared() ? "ON CONFLICT DO NOTHING" : "");
  }

  /** Returns what can be returned, and reports the rest. */
  void run(Connection connection, Set<String> only, ReportBuilder report) throws SQLException {
    List<Copy> page = page(connection, only, 0);
    while (!page.isEmpty()) {
      List<Copy> returnable = new ArrayList<>();
      for (Copy copy : page) {
        if (copy.returnable()) {
          returnable.add(copy);
        } else {
          report.stays(
              copy.name(),
              copy.sourceId(),
              copy.exists()
                  ? "has started, or was changed here: it stays here"
                  : "has ended, or was removed here");
        }
      }
      giveBack(connection, returnable, report);
      page = page(connection, only, page.get(page.size() - 1).id());
    }
  }

  private List<Copy> page(Connection connection, Set<String> only, long after) throws SQLException {
    String sql =
        """
        SELECT copy.id, copy.source_id, copy.name, copy.kind, copy.schedule IS NOT NULL,
               coalesce(job.scheduled_at, schedule.next_at, copy.imported_at),
               coalesce(%2$s AND job.status IN ('pending', 'dead'), %3$s AND schedule.last_at IS NULL, false),
               coalesce(job.id::text, schedule.name) IS NOT NULL
          FROM %1$s.job_imports AS copy
          LEFT JOIN %1$s.jobs AS job ON job.id = copy.job_id
          LEFT JOIN %1$s.job_schedules AS schedule ON schedule.name = copy.schedule
         WHERE copy.source = ? AND copy.id > ? AND (? OR copy.name = ANY (?))
         ORDER BY copy.id
         LIMIT 100
        """
            .formatted(
                copies.schema(),
                Copies.unchanged("job", "copy"),
                Copies.unchanged("schedule", "copy"));
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, identity);
      query.setLong(2, after);
      query.setBoolean(3, only.isEmpty());
      query.setArray(4, connection.createArrayOf("text", only.toArray()));
      List<Copy> page = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          page.add(
              new Copy(
                  row.getLong(1),
                  row.getString(2),
                  row.getString(3),
                  row.getString(4),
                  row.getBoolean(5),
                  row.getObject(6, OffsetDateTime.class).toInstant(),
                  row.getBoolean(7),
                  row.getBoolean(8)));
        }
      }
      return page;
    }
  }

  private void giveBack(Connection connection, List<Copy> rows, ReportBuilder report)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    RowTransaction.Result result =
        RowTransaction.run(
            connection,
            source.lock(),
            returned -> {
              giveBack(connection, rows, returned);
              return "";
            });
    BitSet returned = result.moved();
    if (returned != null) {
      for (int row = 0; row < rows.size(); row++) {
        Copy copy = rows.get(row);
        if (returned.get(row)) {
          report.moved(copy.name(), copy.kind(), copy.schedule(), false, copy.due());
        } else {
          report.stays(copy.name(), copy.sourceId(), CHANGED);
        }
      }
    } else if (rows.size() == 1) {
      report.stays(rows.get(0).name(), rows.get(0).sourceId(), result.refusal());
    } else {
      for (Copy row : rows) {
        giveBack(connection, List.of(row), report);
      }
    }
  }

  private void giveBack(Connection connection, List<Copy> rows, BitSet returned)
      throws SQLException {
    List<Long> asked = rows.stream().map(Copy::id).toList();
    List<Long> taken = new ArrayList<>();
    taken.addAll(
        take(
            connection,
            """
            DELETE FROM %1$s.jobs AS job USING %1$s.job_imports AS copy
             WHERE copy.id = ANY (?) AND job.id = copy.job_id AND job.status IN ('pending', 'dead') AND %2$s
            RETURNING copy.id
            """
                .formatted(copies.schema(), Copies.unchanged("job", "copy")),
            asked));
    taken.addAll(
        take(
            connection,
            """
            DELETE FROM %1$s.job_schedules AS schedule USING %1$s.job_imports AS copy
             WHERE copy.id = ANY (?) AND schedule.name = copy.schedule AND schedule.last_at IS NULL AND %2$s
            RETURNING copy.id
            """
                .formatted(copies.schema(), Copies.unchanged("schedule", "copy")),
            asked));
    for (String insert : inserts.values()) {
      change(connection, insert, taken);
    }
    change(connection, "DELETE FROM %s WHERE id = ANY (?)".formatted(copies.table()), taken);
    taken.forEach(id -> returned.set(asked.indexOf(id)));
  }

  private static List<Long> take(Connection connection, String sql, List<Long> asked)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("int8", asked.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        List<Long> taken = new ArrayList<>();
        while (row.next()) {
          taken.add(row.getLong(1));
        }
        return taken;
      }
    }
  }

  private static void change(Connection connection, String sql, List<Long> taken)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("int8", taken.toArray()));
      statement.executeUpdate();
    }
  }
}
