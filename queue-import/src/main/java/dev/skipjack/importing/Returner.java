package dev.skipjack.importing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Returns imported rows to their source, in one transaction for each batch:
 *
 * <pre>{@code
 * DELETE FROM jobs USING job_imports AS copy WHERE copy.id = ANY (:copies) AND jobs.id = copy.job_id
 *    AND jobs.xmin = copy.imported_by AND attempts = 0 AND status IN ('pending', 'dead') RETURNING copy.id;
 * INSERT INTO scheduled_tasks SELECT ... FROM job_imports, json_populate_recordset(NULL::scheduled_tasks, source_rows -> 'task');
 * DELETE FROM job_imports WHERE id = ANY (:returned);
 * }</pre>
 *
 * <p>Every claim, edit or end of a job writes a new version of its row, so no worker uses a job
 * whose row is still in the version that the import wrote. The statement waits for a claim that has
 * locked the row, and then finds another version. If the source has another row with the key, or
 * not all rows were inserted, nothing is deleted.
 */
final class Returner {

  private static final String CHANGED = "changed meanwhile: run it again";

  private final Source source;
  private final Copies copies;
  private final String identity;

  Returner(Source source, String identity, Copies copies) {
    this.source = source;
    this.identity = identity;
    this.copies = copies;
  }

  /**
   * A copy.
   *
   * @param returnable whether nothing has changed its job or schedule since the import
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

  /**
   * The columns of copied rows.
   *
   * @param columns the quoted names of those that can be written
   * @param refusal why the rows cannot be inserted; empty if they can
   */
  private record Shape(List<String> columns, String refusal) {}

  /**
   * Returns the columns that all rows of a part have. Columns that were added to the table since
   * then get their defaults.
   */
  private Shape shape(Connection connection, Source.Part part, long rows, List<Long> taken)
      throws SQLException {
    // Has no join: the planner would overestimate its rows so much that it compiles the query.
    String sql =
        """
        SELECT field.key, count(*), bool_or(json_typeof(field.value) <> 'null')
          FROM %1$s AS copy
         CROSS JOIN LATERAL json_array_elements(copy.source_rows -> '%2$s') AS element (fields)
         CROSS JOIN LATERAL json_each(element.fields) AS field
         WHERE copy.id = ANY (?)
         GROUP BY field.key
        """
            .formatted(copies.table(), part.name());
    Map<String, String> known = columns(connection, part.table());
    List<String> columns = new ArrayList<>();
    String refusal = "";
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setArray(1, connection.createArrayOf("int8", taken.toArray()));
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          String column = known.get(row.getString(1));
          if (row.getLong(2) < rows) {
            // Some copies are older than a change of the table: they return one by one.
            refusal = CHANGED;
          } else if (column == null && row.getBoolean(3)) {
            refusal =
                "%s has no column '%s' any more, and the row had a value there"
                    .formatted(part.table(), row.getString(1));
          } else if (column != null && !column.isEmpty()) {
            columns.add(column);
          }
        }
      }
    }
    return new Shape(columns, refusal);
  }

  /** Returns the quoted names of a table's columns; empty for those that are generated. */
  private static Map<String, String> columns(Connection connection, String table)
      throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT attname, CASE attgenerated WHEN '' THEN quote_ident(attname) ELSE '' END FROM"
                + " pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped")) {
      query.setString(1, table);
      try (ResultSet row = query.executeQuery()) {
        Map<String, String> columns = new HashMap<>();
        while (row.next()) {
          columns.put(row.getString(1), row.getString(2));
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

  /** Returns the jobs and schedules that can be returned, and reports the others. */
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
               coalesce(%2$s AND job.status IN ('pending', 'dead'), %3$s, false),
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
                Copies.unchangedJob("job", "copy"),
                Copies.unchangedSchedule("schedule", "copy"));
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
            connection, source.lock(), returned -> giveBack(connection, rows, returned));
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

  /**
   * Inserts the rows into the source and deletes their jobs and schedules. Returns why this must be
   * rolled back, or an empty string.
   */
  private String giveBack(Connection connection, List<Copy> rows, BitSet returned)
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
                .formatted(copies.schema(), Copies.unchangedJob("job", "copy")),
            asked));
    taken.addAll(
        take(
            connection,
            """
            DELETE FROM %1$s.job_schedules AS schedule USING %1$s.job_imports AS copy
             WHERE copy.id = ANY (?) AND schedule.name = copy.schedule AND %2$s
            RETURNING copy.id
            """
                .formatted(copies.schema(), Copies.unchangedSchedule("schedule", "copy")),
            asked));
    for (Source.Part part : source.parts()) {
      String refusal = insert(connection, part, taken);
      if (!refusal.isEmpty()) {
        return refusal;
      }
    }
    // A copy that this statement finds also existed when its rows were inserted.
    int deleted =
        change(connection, "DELETE FROM %s WHERE id = ANY (?)".formatted(copies.table()), taken);
    if (deleted != taken.size()) {
      return CHANGED;
    }
    taken.forEach(id -> returned.set(asked.indexOf(id)));
    return "";
  }

  /** Inserts the rows of a part, and returns why they cannot be, or an empty string. */
  private String insert(Connection connection, Source.Part part, List<Long> taken)
      throws SQLException {
    long rows = rows(connection, part, taken);
    Shape shape = shape(connection, part, rows, taken);
    if (rows == 0 || !shape.refusal().isEmpty()) {
      return shape.refusal();
    }
    if (shape.columns().isEmpty()) {
      // Another session has deleted the copies.
      return CHANGED;
    }
    int inserted = change(connection, insert(part, shape.columns()), taken);
    if (part.shared()) {
      return differs(connection, part, shape.columns(), taken)
          ? "%s has another row with its key: it stays here".formatted(part.table())
          : "";
    }
    // A trigger of the application can discard a row without an error.
    return inserted == rows ? "" : "%s did not take its row: it stays here".formatted(part.table());
  }

  /**
   * Returns whether a row that exists differs from its copy, because another object has taken the
   * key since the import.
   */
  private boolean differs(
      Connection connection, Source.Part part, List<String> columns, List<Long> taken)
      throws SQLException {
    String sql =
        """
        SELECT count(*)
          FROM %1$s AS copy
         CROSS JOIN LATERAL json_populate_recordset(NULL::%2$s, copy.source_rows -> '%3$s') AS source
          JOIN %2$s AS existing USING (%4$s)
         WHERE copy.id = ANY (?)
           AND ROW(%5$s)::text <> ROW(%6$s)::text
        """
            .formatted(
                copies.table(),
                part.table(),
                part.name(),
                String.join(", ", part.sharedKey()),
                "existing." + String.join(", existing.", columns),
                "source." + String.join(", source.", columns));
    return take(connection, sql, taken).get(0) > 0;
  }

  /** Returns how many rows of a part the copies have. */
  private long rows(Connection connection, Source.Part part, List<Long> taken) throws SQLException {
    return take(
            connection,
            "SELECT coalesce(sum(json_array_length(source_rows -> '%s')), 0) FROM %s WHERE id = ANY (?)"
                .formatted(part.name(), copies.table()),
            taken)
        .get(0);
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

  private static int change(Connection connection, String sql, List<Long> taken)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("int8", taken.toArray()));
      return statement.executeUpdate();
    }
  }
}
