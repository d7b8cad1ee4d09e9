package dev.skipjack.cli;

import dev.skipjack.importing.ImportCheck;
import dev.skipjack.importing.ImportReport;
import dev.skipjack.importing.Importer;
import dev.skipjack.importing.Source;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack import}. */
@Command(
    name = "import",
    description = {
      "Move the waiting jobs of another queue in the same database into this one.",
      "'plan' only reads, and prints what would move and what would stay. 'run' moves the jobs in"
          + " batches; workers of both queues may run meanwhile. If it is interrupted, run it"
          + " again. Rows that stay are listed with the reason, and are no failure. 'verify'"
          + " compares what was moved with the jobs and schedules. 'undo' returns those that have"
          + " not started."
    })
final class ImportCommand extends DatabaseAction {

  private static final Fields<ImportReport.Moved> MOVED =
      Fields.<ImportReport.Moved>none()
          .and("name", ImportReport.Moved::name)
          .and("kind", ImportReport.Moved::kind)
          .and("jobs", ImportReport.Moved::jobs)
          .andText("dead", moved -> moved.dead() == 0 ? null : moved.dead())
          .andJson("dead", ImportReport.Moved::dead)
          .andText("schedules", moved -> moved.schedules() == 0 ? null : moved.schedules())
          .andJson("schedules", ImportReport.Moved::schedules)
          .and("first_due", ImportReport.Moved::firstDue)
          .and("last_due", ImportReport.Moved::lastDue);

  private static final Fields<ImportReport.Stayed> STAYED =
      Fields.<ImportReport.Stayed>none()
          .and("name", ImportReport.Stayed::name)
          .and("rows", ImportReport.Stayed::rows)
          .andText("reason", stayed -> new Cell.Uncut(stayed.reason()))
          .andJson("reason", ImportReport.Stayed::reason)
          .andApart("ids", ImportReport.Stayed::ids)
          .andText("first", stayed -> stayed.ids().get(0));

  private static final Fields<ImportReport.Sample> SAMPLE =
      Fields.<ImportReport.Sample>none()
          .and("id", ImportReport.Sample::id)
          .and("kind", ImportReport.Sample::kind)
          .and("due", ImportReport.Sample::due)
          .andText("payload", ImportReport.Sample::payload)
          .andJson("payload", sample -> Json.Raw.of(sample.payload()));

  private static final Fields<ImportCheck.Day> DAY =
      Fields.<ImportCheck.Day>none()
          .and("kind", ImportCheck.Day::kind)
          .and("day", day -> day.day().toString())
          .and("imported", ImportCheck.Day::imported)
          .and("waiting", ImportCheck.Day::waiting)
          .and("changed", ImportCheck.Day::changed)
          .and("ended", ImportCheck.Day::ended)
          .and("gone", ImportCheck.Day::gone)
          .and("misplaced", ImportCheck.Day::misplaced);

  private static final Fields<ImportCheck.Fire> FIRE =
      Fields.<ImportCheck.Fire>none()
          .and("schedule", ImportCheck.Fire::schedule)
          .and("kind", ImportCheck.Fire::kind)
          .and("in_source", ImportCheck.Fire::inSource)
          .and("next", ImportCheck.Fire::next)
          .and("difference", ImportCheck.Fire::difference);

  /** What the command does. */
  enum Action {
    /** Reads only. */
    PLAN,
    /** Moves the jobs. */
    RUN,
    /** Compares what was moved. */
    VERIFY,
    /** Returns what has not started. */
    UNDO
  }

  /** The queues from which jobs can be imported. */
  enum From {
    DB_SCHEDULER("scheduled_tasks") {
      @Override
      Source source(String tables) {
        return Source.dbScheduler(tables);
      }
    },
    QUARTZ("qrtz_") {
      @Override
      Source source(String tables) {
        return Source.quartz(tables);
      }
    },
    JOBRUNR("jobrunr_") {
      @Override
      Source source(String tables) {
        return Source.jobRunr(tables);
      }
    },
    RIVER("river_job") {
      @Override
      Source source(String tables) {
        return Source.river(tables);
      }
    };

    private final String tables;

    From(String tables) {
      this.tables = tables;
    }

    abstract Source source(String tables);

    @Override
    public String toString() {
      return Cell.literal(this).replace('_', '-');
    }
  }

  /** The names of the queues from which jobs can be imported. */
  private static final class Sources implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return Stream.of(From.values()).map(From::toString).iterator();
    }
  }

  @Parameters(
      paramLabel = "SOURCE",
      index = "0",
      completionCandidates = Sources.class,
      description = "The other queue: ${COMPLETION-CANDIDATES}.")
  private String source;

  @Parameters(paramLabel = "ACTION", index = "1", description = "plan, run, verify or undo.")
  private Action action;

  @Option(
      names = "--tables",
      paramLabel = "NAME",
      description =
          "Table of the source or, for Quartz and JobRunr, the beginning of the names of its tables, with the"
              + " schema if necessary. Default: scheduled_tasks, qrtz_, jobrunr_ or river_job.")
  private @Nullable String tables;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Only jobs with this name in the source; may be repeated.")
  private List<String> only = List.of();

  @Option(
      names = "--kind",
      paramLabel = "NAME=KIND",
      description =
          "Kind of the jobs with a name; may be repeated. Default: the name in lower case with"
              + " hyphens, for example send-email for sendEmail.")
  private Map<String, String> kinds = Map.of();

  @Option(names = "--queue", paramLabel = "NAME", description = "Queue of the jobs.")
  private @Nullable String queue;

  @Option(
      names = "--max-attempts",
      paramLabel = "N",
      description =
          "Maximum number of attempts, including the failed ones in the source. Default: that of"
              + " the source if it has one, else 25.")
  private @Nullable Integer maxAttempts;

  @Option(
      names = "--unique",
      description =
          "Use the ids that the source keeps unique as unique keys; db-scheduler and Quartz only.")
  private boolean unique;

  @Option(
      names = "--plan",
      paramLabel = "HASH",
      description =
          "Refuse unless this plan, which 'plan' has printed, is still right: the same tables,"
              + " options, names and kinds. The rows may have changed.")
  private @Nullable String plan;

  @Mixin private Confirmation confirmation;
  @Mixin private Actor actor;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
  ImportCommand() {
    super(Access.WRITE);
  }

  @Override
  Access access() {
    return action == Action.PLAN || action == Action.VERIFY ? Access.READ : Access.WRITE;
  }

  private Importer importer(JobQueue target) {
    Importer.Builder importer =
        Importer.from(from().source(tables == null ? from().tables : tables))
            .into(target)
            .only(only);
    kinds.forEach(importer::kind);
    if (queue != null) {
      importer.queue(queue);
    }
    if (maxAttempts != null) {
      importer.maxAttempts(maxAttempts);
    }
    if (plan != null) {
      importer.plan(plan);
    }
    return (unique ? importer.unique() : importer).build();
  }

  private From from() {
    return Stream.of(From.values())
        .filter(known -> known.toString().equalsIgnoreCase(source))
        .findFirst()
        .orElseThrow(
            () ->
                CommandFailure.input(
                    "Jobs cannot be imported from '%s'. Known are %s."
                        .formatted(Cell.safe(source), String.join(", ", new Sources()))));
  }

  @Override
  int run(KeptConnection connections, String schema, Output output) throws SQLException {
    JobQueue queue = JobQueue.builder(connections).schema(schema).codec(new RawJson()).build();
    Importer importer = importer(queue);
    return switch (action) {
      case PLAN, RUN -> move(importer, queue, connections, output);
      case VERIFY -> verify(importer.verify(connections), output);
      case UNDO -> undo(importer, queue, connections, output);
    };
  }

  private int move(Importer importer, JobQueue queue, KeptConnection connections, Output output)
      throws SQLException {
    ImportReport report = importer.plan(connections);
    if (action == Action.RUN && !report.moved().isEmpty()) {
      confirmation.require(
          "Move %s from %s to the queue?".formatted(counts(report), from()), output);
      report = importer.run(connections);
      actor.recordIfAllowed(queue, "import", null, "%s from %s".formatted(counts(report), from()));
    }
    print(report, output);
    return report.moved().isEmpty() && report.stayed().isEmpty()
        ? ExitCodes.NOTHING_MATCHED
        : ExitCodes.DONE;
  }

  private int undo(Importer importer, JobQueue queue, KeptConnection connections, Output output)
      throws SQLException {
    confirmation.require(
        "Return what was imported from %s and has not started?".formatted(from()), output);
    ImportReport report = importer.undo(connections);
    actor.recordIfAllowed(queue, "undo_import", null, "%s to %s".formatted(counts(report), from()));
    if (output.isJson()) {
      output.document(document(report, "returned"));
    } else {
      output.line(
          "Returned %s to %s; %s here."
              .formatted(
                  counts(report), from(), Cell.count(report.rowsThatStay(), "stays", "stay")));
      section("Returned", MOVED, report.moved(), output);
      section("Stay", STAYED, report.stayed(), output);
    }
    return report.moved().isEmpty() && report.stayed().isEmpty()
        ? ExitCodes.NOTHING_MATCHED
        : ExitCodes.DONE;
  }

  private int verify(ImportCheck check, Output output) {
    if (output.isJson()) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("source", from().toString());
      document.put("clean", check.isClean());
      document.put("days", check.days().stream().map(DAY::members).toList());
      document.put("schedules", check.fires().stream().map(FIRE::members).toList());
      output.document(document);
    } else {
      output.line(
          check.isClean()
              ? "All that was imported from %s is here.".formatted(from())
              : "Something that was imported from %s is gone, or due at another time."
                  .formatted(from()));
      if (check.days().stream().anyMatch(day -> day.gone() > 0)) {
        output.line(
            "Gone jobs were deleted, or ended in a queue that keeps no archive or not that long.");
      }
      section("Jobs, by the day of their rows in UTC", DAY, check.days(), output);
      section("Schedules", FIRE, check.fires(), output);
    }
    return check.isClean() ? ExitCodes.DONE : ExitCodes.BAD_NEWS;
  }

  private static String counts(ImportReport report) {
    return report.schedules() == 0
        ? Cell.jobs(report.jobs())
        : "%s and %s"
            .formatted(
                Cell.jobs(report.jobs()), Cell.count(report.schedules(), "schedule", "schedules"));
  }

  private void print(ImportReport report, Output output) {
    boolean done = action == Action.RUN;
    if (output.isJson()) {
      Map<String, @Nullable Object> document = document(report, "moved");
      document.put("moved", done);
      document.put("plan", report.plan());
      document.put("samples", report.samples().stream().map(SAMPLE::members).toList());
      output.document(document);
      return;
    }
    output.line(
        (done ? "Moved %s from %s; %s stayed." : "%s would move from %s, and %s would stay.")
            .formatted(counts(report), from(), Cell.count(report.rowsThatStay(), "row", "rows")));
    if (report.schedules() > 0) {
      output.line(
          "Remove the schedules from the old code first, or its next start creates them again.");
    }
    section(done ? "Moved" : "Would move", MOVED, report.moved(), output);
    section(done ? "Stayed" : "Would stay", STAYED, report.stayed(), output);
    if (!done) {
      section("Samples", SAMPLE, report.samples(), output);
      output.line("");
      output.line("Plan " + report.plan());
    }
  }

  private Map<String, @Nullable Object> document(ImportReport report, String done) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("source", from().toString());
    document.put(done, true);
    document.put("jobs", report.moved().stream().map(MOVED::members).toList());
    document.put("stay", report.stayed().stream().map(STAYED::members).toList());
    return document;
  }

  private static <T> void section(String title, Fields<T> fields, List<T> rows, Output output) {
    if (!rows.isEmpty()) {
      output.section(title, fields, rows);
    }
  }
}
