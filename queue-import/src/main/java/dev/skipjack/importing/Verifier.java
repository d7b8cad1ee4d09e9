package dev.skipjack.importing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares the copies of imported rows with the jobs and schedules that they became. */
final class Verifier {

  private final Source source;
  private final String identity;
  private final Copies copies;

  Verifier(Source source, String identity, Copies copies) {
    this.source = source;
    this.identity = identity;
    this.copies = copies;
  }

  ImportCheck check(Connection connection, Set<String> only) throws SQLException {
    return copies.exist(connection)
        ? new ImportCheck(days(connection, only), fires(connection, only))
        : new ImportCheck(List.of(), List.of());
  }

  private List<ImportCheck.Day> days(Connection connection, Set<String> only) throws SQLException {
    // The due time is read from the copied row again, not from the job, which may be wrong.
    String sql =
        """
        WITH compared AS (
          SELECT copy.kind, %2$s AS due, job.id IS NOT NULL AS live, coalesce(%3$s, false) AS unchanged,
                 job.status, job.scheduled_at, job.created_at,
                 job.id IS NULL AND EXISTS (SELECT FROM %1$s.jobs_archive AS ended WHERE ended.id = copy.job_id) AS ended
            FROM %1$s.job_imports AS copy
            LEFT JOIN %1$s.jobs AS job ON job.id = copy.job_id
           WHERE %4$s AND copy.source = ? AND copy.schedule IS NULL AND (? OR copy.name = ANY (?))
        )
        SELECT kind, (due AT TIME ZONE 'UTC')::date AS day, count(*) AS imported,
               count(*) FILTER (WHERE unchanged) AS waiting,
               count(*) FILTER (WHERE live AND NOT unchanged) AS changed,
               count(*) FILTER (WHERE ended) AS ended,
               count(*) FILTER (WHERE NOT live AND NOT ended) AS gone,
               count(*) FILTER (WHERE unchanged AND status = 'pending' AND scheduled_at <> due
                                  AND greatest(scheduled_at, due) > created_at) AS misplaced
          FROM compared
         GROUP BY kind, day
        """
            .formatted(
                copies.schema(),
                source.due("copy.source_rows"),
                Copies.unchangedJob("job", "copy"),
                Copies.PART);
    Map<String, ImportCheck.Day> days = new TreeMap<>();
    copies.inParts(
        connection,
        sql,
        arguments(connection, only),
        row -> {
          ImportCheck.Day day = day(row);
          days.merge(day.kind() + " " + day.day(), day, Verifier::sum);
        });
    return List.copyOf(days.values());
  }

  private static ImportCheck.Day day(ResultSet row) throws SQLException {
    return new ImportCheck.Day(
        row.getString("kind"),
        row.getObject("day", LocalDate.class),
        row.getLong("imported"),
        row.getLong("waiting"),
        row.getLong("changed"),
        row.getLong("ended"),
        row.getLong("gone"),
        row.getLong("misplaced"));
  }

  private static ImportCheck.Day sum(ImportCheck.Day one, ImportCheck.Day other) {
    return new ImportCheck.Day(
        one.kind(),
        one.day(),
        one.imported() + other.imported(),
        one.waiting() + other.waiting(),
        one.changed() + other.changed(),
        one.ended() + other.ended(),
        one.gone() + other.gone(),
        one.misplaced() + other.misplaced());
  }

  private List<ImportCheck.Fire> fires(Connection connection, Set<String> only)
      throws SQLException {
    String sql =
        """
        SELECT copy.schedule, copy.kind, %2$s AS in_source, schedule.next_at, schedule.name IS NOT NULL AS found,
               schedule.last_at IS NOT NULL AS fired, coalesce(%3$s, false) AS unchanged
          FROM %1$s.job_imports AS copy
          LEFT JOIN %1$s.job_schedules AS schedule ON schedule.name = copy.schedule
         WHERE %4$s AND copy.source = ? AND copy.schedule IS NOT NULL AND (? OR copy.name = ANY (?))
        """
            .formatted(
                copies.schema(),
                source.due("copy.source_rows"),
                Copies.unchangedSchedule("schedule", "copy"),
                Copies.PART);
    List<ImportCheck.Fire> fires = new ArrayList<>();
    copies.inParts(connection, sql, arguments(connection, only), row -> fires.add(fire(row)));
    fires.sort(Comparator.comparing(ImportCheck.Fire::schedule));
    return fires;
  }

  private static ImportCheck.Fire fire(ResultSet row) throws SQLException {
    Instant inSource = instant(row, "in_source");
    Instant next = instant(row, "next_at");
    boolean same = inSource == null || Objects.equals(inSource, next);
    String difference = "";
    boolean expected = true;
    if (!row.getBoolean("found")) {
      difference = "it was removed";
      expected = false;
    } else if (row.getBoolean("fired")) {
      difference = "it has fired";
    } else if (!row.getBoolean("unchanged")) {
      difference = "it was changed";
    } else if (!same) {
      difference = "it fires next at another time";
      expected = false;
    }
    return new ImportCheck.Fire(
        row.getString("schedule"), row.getString("kind"), inSource, next, difference, expected);
  }

  private Copies.Arguments arguments(Connection connection, Set<String> only) {
    return query -> {
      query.setString(3, identity);
      query.setBoolean(4, only.isEmpty());
      query.setArray(5, connection.createArrayOf("text", only.toArray()));
    };
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
