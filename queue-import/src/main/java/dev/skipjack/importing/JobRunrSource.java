package dev.skipjack.importing;

import dev.skipjack.api.schedule.Timing;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tables of JobRunr. A server changes a job only if the job still has the version that the
 * server read. The import deletes a job only if no column has changed since it was read, so a job
 * is either taken or imported.
 */
final class JobRunrSource extends Source {

  private static final String JOB = "job";
  private static final String RECURRING = "recurring";

  private static final String VERSION = version("octet_length(source.jobasjson)", "source.*");

  /** The default number of attempts: the first one and 10 retries. */
  private static final int DEFAULT_ATTEMPTS = 11;

  /** The class and method of a job, and its first parameter. */
  private static final Pattern SIGNATURE = Pattern.compile("([^(]*?)[.]([^.(]+)\\(([^,)]*)(.*)\\)");

  /**
   * A cron expression that has the same meaning in JobRunr and in Skipjack: lists of numbers,
   * ranges and steps, with either days of the month or days of the week.
   */
  static final Pattern CRON =
      Pattern.compile(
          "(?:{f} )?{f} {f} (?:{f} {f} \\*|\\* {f} {d})"
              .replace("{f}", "[*\\d,/-]+")
              .replace("{d}", "[0-6](?:[,-][0-6])*"));

  JobRunrSource(String prefix) {
    super("jobrunr", prefix);
  }

  @Override
  void check(Connection connection) throws SQLException {
    columns(
        connection,
        tables() + "jobs",
        List.of(
            "id",
            "version",
            "jobasjson",
            "jobsignature",
            "state",
            "scheduledat",
            "recurringjobid"));
    columns(connection, tables() + "recurring_jobs", List.of("id", "version", "jobasjson"));
    columns(connection, tables() + "backgroundjobservers", List.of("id"));
  }

  @Override
  List<String> names(Connection connection) throws SQLException {
    List<String> names =
        texts(
            connection,
            "SELECT DISTINCT jobsignature FROM %sjobs WHERE state NOT IN ('SUCCEEDED', 'DELETED')"
                .formatted(tables()));
    SourceRow last = null;
    do {
      List<SourceRow> page = page(connection, RECURRING, List.of(), last, 100);
      page.forEach(row -> names.add(row.name()));
      last = page.isEmpty() ? null : page.get(page.size() - 1);
    } while (last != null);
    return names.stream().distinct().toList();
  }

  /**
   * Returns, for a job with a request handler, the class of its request without the suffix {@code
   * Request} or {@code JobRequest}; for any other job, its class and method.
   */
  @Override
  String shortName(String signature) {
    Matcher parts = SIGNATURE.matcher(signature);
    if (!parts.matches()) {
      return signature;
    }
    return parts.group(2).equals("run") && parts.group(4).isEmpty() && !parts.group(3).isEmpty()
        ? simple(parts.group(3)).replaceFirst("(?<=.)(Job)?Request$", "")
        : simple(parts.group(1)) + "." + parts.group(2);
  }

  private static String simple(String type) {
    return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
  }

  @Override
  List<SourceRow> page(
      Connection connection, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException {
    boolean first = after == null || after.key().second().equals(JOB);
    List<SourceRow> jobs = first ? page(connection, JOB, only, after, limit) : List.of();
    return jobs.isEmpty() ? page(connection, RECURRING, only, first ? null : after, limit) : jobs;
  }

  private List<SourceRow> page(
      Connection connection, String part, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException {
    String sql =
        part.equals(JOB)
            ? """
            SELECT id, %3$s AS version, %2$s AS document, jobsignature AS signature, state, recurringjobid,
                   coalesce(scheduledat, createdat) AT TIME ZONE 'UTC' AS due
              FROM %1$sjobs AS source
             WHERE id > ?::bpchar AND state NOT IN ('SUCCEEDED', 'DELETED') AND jobsignature = ANY (?)
             ORDER BY id
             LIMIT ?
            """
            : """
            SELECT id, %3$s AS version, %2$s AS document, clock_timestamp() AS now,
                   EXISTS (SELECT FROM %1$sbackgroundjobservers) AS served,
                   EXISTS (SELECT FROM %1$sjobs AS run
                            WHERE run.recurringjobid = source.id::text
                              AND run.state NOT IN ('SCHEDULED', 'SUCCEEDED', 'FAILED', 'DELETED')) AS live,
                   (SELECT min(scheduledat) AT TIME ZONE 'UTC' FROM %1$sjobs AS run
                     WHERE run.recurringjobid = source.id::text AND run.state = 'SCHEDULED') AS due
              FROM %1$srecurring_jobs AS source
             WHERE id > ?::bpchar
             ORDER BY id
             LIMIT ?
            """;
    try (PreparedStatement query =
        connection.prepareStatement(sql.formatted(tables(), bounded("jobasjson"), VERSION))) {
      query.setString(1, after == null ? "" : after.key().first());
      if (part.equals(JOB)) {
        query.setArray(2, connection.createArrayOf("text", only.toArray()));
        query.setInt(3, limit);
      } else {
        query.setInt(2, limit);
      }
      List<SourceRow> rows = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.add(part.equals(JOB) ? job(row) : recurring(row));
        }
      }
      return rows;
    }
  }

  private static SourceRow job(ResultSet row) throws SQLException {
    String stays = stays(row.getString("state"), row.getString("recurringjobid"));
    JobRunrJson job = null;
    if (stays == null) {
      try {
        job = document(row);
      } catch (JsonText.Rejected rejected) {
        stays = rejected.getMessage();
      }
    }
    Instant due = row.getObject("due", OffsetDateTime.class).toInstant();
    boolean failed = row.getString("state").equals("FAILED");
    return row(row, JOB, row.getString("signature"), due, job, null, failed, stays);
  }

  private static SourceRow recurring(ResultSet row) throws SQLException {
    Instant now = row.getObject("now", OffsetDateTime.class).toInstant();
    OffsetDateTime due = row.getObject("due", OffsetDateTime.class);
    String id = row.getString("id").strip();
    JobRunrJson job = null;
    Recurrence recurrence = null;
    String stays = null;
    try {
      job = document(row);
      if (row.getBoolean("served")) {
        throw new JsonText.Rejected(
            "recurring, and a server may be creating its next run: stop all servers first");
      }
      if (row.getBoolean("live")) {
        throw new JsonText.Rejected("recurring, and a run of it has not ended: let it end first");
      }
      recurrence = recurrence(id, job);
      if (due != null) {
        requireNext(recurrence.timing(), due.toInstant(), now);
      }
    } catch (JsonText.Rejected rejected) {
      stays = rejected.getMessage();
    }
    Instant next = now;
    if (due != null) {
      next = due.toInstant();
    } else if (recurrence != null) {
      next = recurrence.timing().next(now).orElse(now);
    }
    return row(row, RECURRING, name(id, job), next, job, recurrence, false, stays);
  }

  /** Returns the class and method of a recurring job, or its id if its document has none. */
  private static String name(String id, @Nullable JobRunrJson job) {
    return job == null || job.signature().isEmpty() ? id : job.signature();
  }

  private static JobRunrJson document(ResultSet row) throws SQLException, JsonText.Rejected {
    String document = row.getString("document");
    if (document == null) {
      throw new JsonText.Rejected("its document is larger than 1 MiB");
    }
    return JobRunrJson.of(document);
  }

  private static SourceRow row(
      ResultSet row,
      String part,
      String name,
      Instant due,
      @Nullable JobRunrJson job,
      @Nullable Recurrence recurrence,
      boolean failed,
      @Nullable String stays)
      throws SQLException {
    String id = row.getString("id").strip();
    Integer attempts = job == null ? null : job.maxAttempts();
    return new SourceRow(
        name,
        id,
        new SourceRow.Key(id, part, row.getString("version")),
        due,
        null,
        // A dead job has all its attempts again once it is redriven.
        job == null || failed ? 0 : job.failures(),
        attempts == null ? Integer.valueOf(DEFAULT_ATTEMPTS) : attempts,
        null,
        null,
        job == null ? List.of() : job.labels(),
        job == null ? null : job.payload().getBytes(StandardCharsets.UTF_8),
        recurrence,
        failed && job != null ? job.lastFailure() : null,
        stays);
  }

  private static @Nullable String stays(String state, @Nullable String recurringJob) {
    if (recurringJob != null && state.equals("SCHEDULED")) {
      return "next run of a recurring job: it leaves with that job, or delete it if that job is"
          + " gone";
    }
    return switch (state) {
      case "SCHEDULED", "ENQUEUED", "FAILED" -> null;
      case "PROCESSING", "PROCESSED" -> "running: it ends in JobRunr";
      default -> "in state %s: it waits for other jobs".formatted(state);
    };
  }

  private static Recurrence recurrence(String id, JobRunrJson job) throws JsonText.Rejected {
    String expression = job.expression();
    if (!CRON.matcher(expression).matches()) {
      throw new JsonText.Rejected(
          "recurring at '%s', which may mean other times in a schedule: declare one"
              .formatted(expression));
    }
    try {
      // JobRunr creates no second run while one is scheduled, enqueued or running.
      return new Recurrence(
          Kinds.ofRule(id), Timing.cron(expression).zone(job.zone()), false, false, true);
    } catch (IllegalArgumentException | DateTimeException unknown) {
      throw new JsonText.Rejected(
          "has a timing that a schedule cannot have: " + unknown.getMessage());
    }
  }

  @Override
  List<Part> parts() {
    return List.of(
        new Part("recurring_jobs", tables() + "recurring_jobs"),
        new Part("jobs", tables() + "jobs"));
  }

  @Override
  String due(String copy) {
    return "(coalesce(%1$s #>> '{jobs,0,scheduledat}', %1$s #>> '{jobs,0,createdat}')::timestamp AT TIME ZONE 'UTC')"
        .formatted(copy);
  }

  /** Also deletes the next run of a recurring job, which its schedule replaces. */
  @Override
  String take() {
    return """
    job AS (
      DELETE FROM %1$sjobs AS source USING given
       WHERE given.key2 = 'job' AND source.id = given.key1::bpchar AND %2$s = given.key3::bigint
      RETURNING given.position, row_to_json(source.*) AS copy
    ), recurring AS (
      DELETE FROM %1$srecurring_jobs AS source USING given
       WHERE given.key2 = 'recurring' AND source.id = given.key1::bpchar AND %2$s = given.key3::bigint
         AND NOT EXISTS (SELECT FROM %1$sbackgroundjobservers)
      RETURNING given.position, given.key1, row_to_json(source.*) AS copy
    ), next AS (
      DELETE FROM %1$sjobs AS source USING recurring
       WHERE source.recurringjobid = recurring.key1 AND source.state = 'SCHEDULED'
      RETURNING recurring.position, row_to_json(source.*) AS copy
    ), taken AS (
      SELECT position, json_build_object('jobs', json_build_array(copy)) AS copy FROM job
       UNION ALL
      SELECT position, json_build_object('recurring_jobs', json_build_array(copy),
               'jobs', (SELECT coalesce(json_agg(next.copy), '[]') FROM next WHERE next.position = recurring.position))
        FROM recurring
    )
    """
        .formatted(tables(), VERSION);
  }
}
