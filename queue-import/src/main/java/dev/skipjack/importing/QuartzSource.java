package dev.skipjack.importing;

import dev.skipjack.api.schedule.Timing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tables of Quartz. A scheduler that is not in a cluster has its lock in memory, and writes
 * triggers that it read earlier in the same transaction. The import therefore locks the tables of
 * triggers exclusively, which waits until all transactions that have read them have ended. A job
 * can change without its triggers, so the import also locks the rows of the jobs that it reads, but
 * not their table, which Quartz often writes before the triggers. The import deletes a trigger only
 * if no column of it or of its job has changed.
 */
final class QuartzSource extends Source {

  private static final String DEFAULT_GROUP = "DEFAULT";

  /** The priority of a trigger that sets none. */
  private static final int DEFAULT_PRIORITY = 5;

  /** The instruction of a cron trigger that skips missed times. */
  private static final int DO_NOTHING = 2;

  /**
   * The misfire instructions of cron triggers that a schedule supports: the default and to fire
   * once, which have the same effect, and to do nothing.
   */
  private static final List<Integer> CRON_INSTRUCTIONS = List.of(0, 1, DO_NOTHING);

  /**
   * The misfire instructions of endlessly repeating triggers that a schedule supports: the default
   * and those that continue with the next time. The others count the interval from the misfire.
   */
  private static final List<Integer> ENDLESS_INSTRUCTIONS = List.of(0, 4, 5);

  /**
   * The misfire instructions of triggers that fire once: all except those that continue with the
   * next time, because there is none.
   */
  private static final List<Integer> ONCE_INSTRUCTIONS = List.of(-1, 0, 1, 2, 3);

  private static final String READ_VERSION =
      version(
          "greatest(octet_length(t.job_data), octet_length(d.job_data))",
          "t.*",
          "d.*",
          "s.*",
          "c.*");

  private static final String LOCKED_VERSION =
      version(
          "greatest(octet_length(t.job_data), octet_length((job.detail).job_data))",
          "t.*",
          "job.detail",
          "s.*",
          "c.*");

  private static final List<String> NEEDED =
      List.of(
          "sched_name",
          "trigger_name",
          "trigger_group",
          "next_fire_time",
          "trigger_state",
          "trigger_type",
          "misfire_instr",
          "job_data");

  QuartzSource(String prefix) {
    super("quartz", prefix);
  }

  @Override
  void check(Connection connection) throws SQLException {
    columns(connection, tables() + "triggers", NEEDED);
    columns(connection, tables() + "job_details", List.of("job_class_name", "job_data"));
  }

  @Override
  List<String> names(Connection connection) throws SQLException {
    return texts(
        connection, "SELECT DISTINCT job_class_name FROM %sjob_details".formatted(tables()));
  }

  /** Returns the name of the class without its package and the suffix {@code Job}. */
  @Override
  String shortName(String jobClass) {
    String name =
        jobClass.substring(Math.max(jobClass.lastIndexOf('.'), jobClass.lastIndexOf('$')) + 1);
    return name.endsWith("Job") && name.length() > 3 ? name.substring(0, name.length() - 3) : name;
  }

  @Override
  List<SourceRow> page(
      Connection connection, List<String> only, @Nullable SourceRow after, int limit)
      throws SQLException {
    String sql =
        """
        SELECT t.sched_name, t.trigger_name, t.trigger_group, t.next_fire_time, t.priority, t.trigger_state,
               t.trigger_type, t.end_time, t.calendar_name, t.misfire_instr, %2$s AS trigger_data,
               d.job_class_name, d.is_nonconcurrent, %3$s AS job_data,
               greatest(octet_length(t.job_data), octet_length(d.job_data)) > 1048576 AS too_large,
               s.repeat_count, s.repeat_interval, c.cron_expression, c.time_zone_id, clock_timestamp() AS now,
               %4$s AS version,
               EXISTS (SELECT FROM %1$striggers AS o
                        WHERE (o.sched_name, o.job_name, o.job_group) = (t.sched_name, t.job_name, t.job_group)
                          AND (o.trigger_name, o.trigger_group) <> (t.trigger_name, t.trigger_group)) AS has_siblings
          FROM %1$striggers AS t
          JOIN %1$sjob_details AS d USING (sched_name, job_name, job_group)
          LEFT JOIN %1$ssimple_triggers AS s USING (sched_name, trigger_name, trigger_group)
          LEFT JOIN %1$scron_triggers AS c USING (sched_name, trigger_name, trigger_group)
         WHERE d.job_class_name = ANY (?) AND (t.sched_name, t.trigger_name, t.trigger_group) > (?, ?, ?)
         ORDER BY t.sched_name, t.trigger_name, t.trigger_group
         LIMIT ?
        """
            .formatted(tables(), bounded("t.job_data"), bounded("d.job_data"), READ_VERSION);
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setArray(1, connection.createArrayOf("text", only.toArray()));
      query.setString(2, after == null ? "" : after.key().first());
      query.setString(3, after == null ? "" : after.key().second());
      query.setString(4, after == null ? "" : after.key().version().split("/", 2)[1]);
      query.setInt(5, limit);
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
    String trigger = row.getString("trigger_name");
    String group = row.getString("trigger_group");
    Instant due = Instant.ofEpochMilli(row.getLong("next_fire_time"));
    Integer priority = row.getObject("priority", Integer.class);
    Recurrence recurrence = null;
    byte[] data = null;
    String stays = stays(row);
    if (stays == null) {
      try {
        recurrence =
            recurrence(row, group.equals(DEFAULT_GROUP) ? trigger : group + "." + trigger, due);
        data = JobData.json(row.getBytes("job_data"), row.getBytes("trigger_data"));
      } catch (JsonText.Rejected rejected) {
        stays = rejected.getMessage();
      }
    }
    return new SourceRow(
        row.getString("job_class_name"),
        recurrence == null
            ? id(row.getString("sched_name"), group, trigger, due.toString())
            : id(row.getString("sched_name"), group, trigger),
        new SourceRow.Key(
            row.getString("sched_name"), trigger, row.getString("version") + "/" + group),
        due,
        priority == null || priority == DEFAULT_PRIORITY ? null : priority - DEFAULT_PRIORITY,
        0,
        null,
        id(group, trigger),
        null,
        List.of(),
        data,
        recurrence,
        null,
        stays);
  }

  private static @Nullable String stays(ResultSet row) throws SQLException {
    String state = row.getString("trigger_state");
    if (state.equals("ERROR")) {
      return "in state ERROR: it never fires; reset or delete it in Quartz";
    }
    if (!state.equals("WAITING") && !state.equals("PAUSED")) {
      return "in state %s: it ends in Quartz".formatted(state);
    }
    if (row.getBoolean("too_large")) {
      return "data is larger than 1 MiB";
    }
    if (row.getString("repeat_count") == null && row.getString("cron_expression") == null) {
      return "has a trigger of type %s: declare a schedule"
          .formatted(row.getString("trigger_type"));
    }
    boolean once = isOnce(row);
    if (state.equals("PAUSED") && once) {
      return "paused: resume it first, because a job cannot be paused";
    }
    if (row.getBoolean("is_nonconcurrent") && row.getBoolean("has_siblings")) {
      return "its job runs one at a time for several triggers: enqueue with an ordering key";
    }
    if (row.getString("calendar_name") != null) {
      return "uses a calendar: declare a schedule, with except(dates)";
    }
    if (!once && row.getLong("end_time") > 0) {
      return "has an end: declare a schedule, and remove it then";
    }
    if (!once && row.getLong("repeat_count") > 0) {
      return "repeats a number of times: enqueue that many jobs";
    }
    return misfire(row).contains(row.getInt("misfire_instr"))
        ? null
        : "has misfire instruction %d, which a schedule does not have"
            .formatted(row.getInt("misfire_instr"));
  }

  /** Returns whether the row is that of a simple trigger that does not repeat. */
  private static boolean isOnce(ResultSet row) throws SQLException {
    return row.getString("repeat_count") != null && row.getLong("repeat_count") == 0;
  }

  /**
   * Returns the misfire instructions of the row's type of trigger that have the same effect in
   * Skipjack.
   */
  private static List<Integer> misfire(ResultSet row) throws SQLException {
    if (row.getString("cron_expression") != null) {
      return CRON_INSTRUCTIONS;
    }
    return isOnce(row) ? ONCE_INSTRUCTIONS : ENDLESS_INSTRUCTIONS;
  }

  private static @Nullable Recurrence recurrence(ResultSet row, String trigger, Instant due)
      throws SQLException, JsonText.Rejected {
    if (isOnce(row)) {
      return null;
    }
    String cron = row.getString("cron_expression");
    try {
      Timing timing =
          cron == null
              ? Timing.every(Duration.ofMillis(row.getLong("repeat_interval")))
              : Timing.cron(QuartzCron.convert(cron))
                  .zone(Objects.requireNonNullElse(row.getString("time_zone_id"), "UTC"));
      requireNext(timing, due, row.getObject("now", OffsetDateTime.class).toInstant());
      return new Recurrence(
          Kinds.ofRule(trigger),
          timing,
          row.getString("trigger_state").equals("PAUSED"),
          cron == null || row.getInt("misfire_instr") == DO_NOTHING,
          row.getBoolean("is_nonconcurrent"));
    } catch (IllegalArgumentException | DateTimeException unknown) {
      throw new JsonText.Rejected(
          "has a timing that a schedule cannot have: " + unknown.getMessage());
    }
  }

  @Override
  boolean hasUniqueIds() {
    return true;
  }

  @Override
  String lock() {
    return "LOCK TABLE %1$striggers, %1$ssimple_triggers, %1$scron_triggers IN ACCESS EXCLUSIVE MODE"
        .formatted(tables());
  }

  @Override
  List<Part> parts() {
    return List.of(
        new Part(
            "job_details",
            tables() + "job_details",
            List.of("sched_name", "job_name", "job_group")),
        new Part("triggers", tables() + "triggers"),
        new Part("simple_triggers", tables() + "simple_triggers"),
        new Part("cron_triggers", tables() + "cron_triggers"));
  }

  @Override
  String due(String copy) {
    return "to_timestamp((%s #>> '{triggers,0,next_fire_time}')::bigint / 1000.0)".formatted(copy);
  }

  /**
   * Also removes the jobs that lose their last trigger, as Quartz does, unless they are durable.
   * The copy of each trigger contains its job, which the import of another trigger may remove
   * later.
   */
  @Override
  String take() {
    return """
    job AS MATERIALIZED (
      SELECT given.position, given.key1, given.key2, given.key3, t.trigger_group,
             ROW(d.*)::%1$sjob_details AS detail
        FROM given
        JOIN %1$striggers AS t
          ON t.sched_name = given.key1 AND t.trigger_name = given.key2
         AND t.trigger_group = substr(given.key3, strpos(given.key3, '/') + 1)
        JOIN %1$sjob_details AS d USING (sched_name, job_name, job_group)
         FOR UPDATE OF d
    ), trigger AS (
      DELETE FROM %1$striggers AS t
       USING job
        LEFT JOIN %1$ssimple_triggers AS s
          ON (s.sched_name, s.trigger_name, s.trigger_group) = (job.key1, job.key2, job.trigger_group)
        LEFT JOIN %1$scron_triggers AS c
          ON (c.sched_name, c.trigger_name, c.trigger_group) = (job.key1, job.key2, job.trigger_group)
       WHERE (t.sched_name, t.trigger_name, t.trigger_group) = (job.key1, job.key2, job.trigger_group)
         AND concat_ws('/', %2$s, t.trigger_group) = job.key3
      RETURNING job.position, t.sched_name, t.trigger_name, t.trigger_group, t.job_name, t.job_group,
                row_to_json(t.*) AS copy, row_to_json(job.detail) AS detail
    ), simple AS (
      DELETE FROM %1$ssimple_triggers AS child USING trigger
       WHERE (child.sched_name, child.trigger_name, child.trigger_group)
           = (trigger.sched_name, trigger.trigger_name, trigger.trigger_group)
      RETURNING trigger.position, row_to_json(child.*) AS copy
    ), cron AS (
      DELETE FROM %1$scron_triggers AS child USING trigger
       WHERE (child.sched_name, child.trigger_name, child.trigger_group)
           = (trigger.sched_name, trigger.trigger_name, trigger.trigger_group)
      RETURNING trigger.position, row_to_json(child.*) AS copy
    ), unused AS (
      DELETE FROM %1$sjob_details AS unused USING trigger
       WHERE (unused.sched_name, unused.job_name, unused.job_group)
           = (trigger.sched_name, trigger.job_name, trigger.job_group)
         AND NOT unused.is_durable
         AND NOT EXISTS (
           SELECT FROM %1$striggers AS other
            WHERE (other.sched_name, other.job_name, other.job_group)
                = (unused.sched_name, unused.job_name, unused.job_group)
              AND (other.sched_name, other.trigger_name, other.trigger_group) NOT IN (
                SELECT also.sched_name, also.trigger_name, also.trigger_group FROM trigger AS also))
    ), taken AS (
      SELECT trigger.position, json_build_object(
               'job_details', json_build_array(trigger.detail),
               'triggers', json_build_array(trigger.copy),
               'simple_triggers', (SELECT coalesce(json_agg(simple.copy), '[]') FROM simple WHERE simple.position = trigger.position),
               'cron_triggers', (SELECT coalesce(json_agg(cron.copy), '[]') FROM cron WHERE cron.position = trigger.position)) AS copy
        FROM trigger
    )
    """
        .formatted(tables(), LOCKED_VERSION);
  }
}
