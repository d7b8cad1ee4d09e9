package dev.skipjack.dashboard;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One queue. */
final class QueueScreen implements Screen<QueueScreen.Model> {

  private static final int FEW = 5;

  /**
   * @param queue the queue
   * @param numbers its numbers; missing if nothing is known about it
   * @param kinds its kinds
   * @param next the jobs that are due next
   * @param dead its errors
   * @param settings its settings
   * @param charts the numbers of the last hour
   */
  record Model(
      String queue,
      Panel<Optional<QueueRow>> numbers,
      Panel<List<Kind>> kinds,
      Panel<List<JobSummary>> next,
      Panel<List<DeadRow>> dead,
      Panel<Optional<QueueSettings>> settings,
      Panel<Charts> charts) {}

  /**
   * @param kind the kind, or {@link JobCount#OTHERS} if further ones may be missing
   */
  record Kind(String kind, Amount pending, Amount running, Amount waiting, Amount dead) {}

  @Override
  public Nav nav() {
    return Nav.QUEUES;
  }

  @Override
  public int reloadSeconds() {
    return 3;
  }

  @Override
  public String title(Model model) {
    return model.queue();
  }

  /** Returns the visible queue that the parameter names. */
  static String required(@Nullable String name, Visit visit) {
    String queue = name == null ? "" : name;
    try {
      Names.requireQueue(queue);
    } catch (IllegalArgumentException invalid) {
      throw Refusal.notFound("There is no such queue, or you may not see it.");
    }
    if (!visit.access().sees(queue)) {
      throw Refusal.notFound("There is no such queue, or you may not see it.");
    }
    return queue;
  }

  @Override
  public Model read(Visit visit) {
    String name = required(visit.request().parameter("name").orElse(null), visit);
    VisibleReads reads = visit.reads();
    var counts = reads.counts();
    var next = reads.jobs(JobQuery.pending(name).limit(FEW));
    var dead = reads.deadLetters();
    var settings = reads.settings(name);
    var charts = Charts.start(visit, Charts.Span.HOUR, name);
    Panel<List<QueueRow>> rows =
        QueuesScreen.rows(counts, reads.oldestPending(), reads.queues(), reads.workers());
    return new Model(
        name,
        rows.map(all -> all.stream().filter(row -> row.name().equals(name)).findFirst()),
        counts.panel().map(all -> kinds(all, name)),
        next.panel().map(JobPage::jobs),
        dead.panel().map(all -> all.stream().filter(group -> group.queue().equals(name)).toList()),
        settings.panel(),
        charts.panel());
  }

  private static List<Kind> kinds(List<JobCount> counts, String queue) {
    Map<String, Collection<JobCount>> byKind = new TreeMap<>();
    counts.stream()
        .filter(count -> count.queue().equals(queue))
        .forEach(
            count -> byKind.computeIfAbsent(count.kind(), none -> new ArrayList<>()).add(count));
    return byKind.entrySet().stream()
        .map(
            kind ->
                new Kind(
                    kind.getKey(),
                    amount(kind.getValue(), JobStatus.PENDING),
                    amount(kind.getValue(), JobStatus.RUNNING),
                    amount(kind.getValue(), JobStatus.WAITING),
                    amount(kind.getValue(), JobStatus.DEAD)))
        .toList();
  }

  private static Amount amount(Collection<JobCount> counts, JobStatus status) {
    return Amount.of(counts.stream().filter(count -> count.status() == status).toList());
  }

  @Override
  public Node render(Model model, Visit visit) {
    Optional<QueueRow> row = model.numbers().or(Optional.empty());
    return Html.all(
        Ui.problem(model.numbers(), visit),
        row.map(known -> state(known, visit)).orElse(Html.NOTHING),
        row.map(known -> tiles(known, visit))
            .orElseGet(
                () ->
                    model.numbers().isMissing()
                        ? Html.NOTHING
                        : Ui.empty(
                            "This queue is empty.",
                            "It has no live jobs, no worker and no settings.")),
        ChartCard.of(
            model.charts(),
            "Last hour",
            Ui.link(MinutesScreen.page(model.queue(), visit), "Other times and table"),
            visit),
        Html.div("columns")
            .add(
                Html.div("stack").add(kinds(model, visit), dead(model, visit)),
                Html.div("stack")
                    .add(
                        next(model, visit),
                        Ui.panel(
                            "Settings",
                            model.settings(),
                            visit,
                            Html.NOTHING,
                            set -> settings(set, row, model.queue(), visit)))));
  }

  private static Node kinds(Model model, Visit visit) {
    return Ui.panel(
        "Kinds",
        model.kinds(),
        visit,
        Ui.link(visit.link("/jobs").with("q", "queue:" + model.queue()), "Jobs of this queue"),
        kinds -> kindTable(model.queue(), kinds, visit));
  }

  private static Node dead(Model model, Visit visit) {
    return Ui.panel(
        "Dead by error",
        model.dead(),
        visit,
        Html.NOTHING,
        groups ->
            groups.isEmpty()
                ? Ui.empty("No dead jobs.", "Jobs whose attempts are used up appear here.")
                : Table.of(groups.stream().limit(FEW).toList())
                    .column("Error", "grow", group -> DeadScreen.error(group, visit))
                    .number("Jobs", DeadScreen::number)
                    .number("Last", group -> visit.times().ago(group.lastDiedAt())));
  }

  private static Node next(Model model, Visit visit) {
    return Ui.panel(
        "Due next",
        model.next(),
        visit,
        Html.NOTHING,
        jobs ->
            jobs.isEmpty()
                ? Ui.empty("Nothing is pending.", "New jobs of this queue appear here.")
                : Table.of(jobs)
                    .column("Job", "grow", job -> Ui.kindAndId(job, visit))
                    .number("Priority", job -> Html.text("" + job.priority()))
                    .number("Due", job -> visit.times().ago(job.scheduledAt())));
  }

  private static Node state(QueueRow row, Visit visit) {
    Node paused =
        row.isPaused()
            ? Html.tag("p")
                .add(
                    Ui.badge("paused", "st-waiting"),
                    Html.text(" "),
                    visit.times().ago(row.pausedAt()),
                    Html.text(row.pausedBy() == null ? "" : " by " + row.pausedBy()),
                    row.pausedUntil() == null
                        ? Html.text(", until it is resumed")
                        : Html.all(Html.text(", resumes "), visit.times().ago(row.pausedUntil())),
                    Html.text(row.pauseReason() == null ? "" : ": " + row.pauseReason()))
            : Html.NOTHING;
    if (!visit.may(Role.OPERATOR)) {
      return paused;
    }
    return Html.div("toolbar")
        .add(
            paused,
            row.isPaused()
                ? visit.form("/queue/resume").target(row.name()).button("Resume", "primary")
                : pauseForm(row.name(), visit));
  }

  private static Node pauseForm(String queue, Visit visit) {
    Element length = Html.tag("select").set("name", "for").set("aria-label", "For how long");
    for (Pause pause : Pause.values()) {
      length.add(Html.tag("option").set("value", pause.name()).add(pause.label()));
    }
    return visit
        .form("/queue/pause")
        .target(queue)
        .style("inline gap")
        .add(length)
        .reason()
        .button("Pause", "");
  }

  /** For how long a form pauses a queue. */
  enum Pause {
    UNTIL_RESUMED("until resumed", null),
    MINUTES("for 15 minutes", Duration.ofMinutes(15)),
    HOUR("for an hour", Duration.ofHours(1)),
    DAY("for a day", Duration.ofDays(1));

    private final String label;
    private final @Nullable Duration duration;

    Pause(String label, @Nullable Duration duration) {
      this.label = label;
      this.duration = duration;
    }

    String label() {
      return label;
    }

    @Nullable Duration duration() {
      return duration;
    }
  }

  private static Node tiles(QueueRow row, Visit visit) {
    return Html.div("tiles")
        .add(
            tile(
                row,
                "pending",
                row.pending(),
                row.isDue() && row.oldest() != null
                    ? "oldest due for " + Times.span(row.oldest())
                    : "none is due",
                "",
                visit),
            tile(
                row,
                "running",
                row.running(),
                row.slots() == 0 ? "no slots" : "of %d slots".formatted(row.slots()),
                "",
                visit),
            tile(row, "waiting", row.waiting(), "for an ordering key", "", visit),
            tile(
                row,
                "dead",
                row.dead(),
                row.dead().number() == 0 ? "none" : "until redriven or pruned",
                row.dead().number() == 0 ? "" : "bad",
                visit),
            Ui.tile(
                visit.link("/workers"),
                "Workers",
                Html.text("" + row.workers()),
                Html.text("serve this queue"),
                row.workers() == 0 ? "bad" : ""));
  }

  private static Node tile(
      QueueRow row, String status, Amount amount, String remark, String style, Visit visit) {
    return Ui.tile(
        visit.link("/jobs").with("q", "queue:" + row.name() + " status:" + status),
        status.substring(0, 1).toUpperCase(Locale.ROOT) + status.substring(1),
        amount.node(),
        Html.text(remark),
        style);
  }

  private static Node kindTable(String queue, List<Kind> kinds, Visit visit) {
    if (kinds.isEmpty()) {
      return Ui.empty("No live jobs.", "The kinds of this queue's jobs appear here.");
    }
    return Table.of(kinds)
        .column(
            "Kind",
            "grow",
            kind ->
                kind.kind().equals(JobCount.OTHERS)
                    ? Html.span("faint").add("perhaps others")
                    : Ui.link(
                        visit.link("/jobs").with("q", "queue:" + queue + " kind:" + kind.kind()),
                        kind.kind()))
        .number("Pending", kind -> kind.pending().node())
        .number("Running", kind -> kind.running().node())
        .number("Waiting", kind -> kind.waiting().node())
        .number("Dead", kind -> kind.dead().node());
  }

  private static Node settings(
      Optional<QueueSettings> stored, Optional<QueueRow> row, String queue, Visit visit) {
    QueueSettings set = stored.orElseGet(QueueSettings::defaults);
    Node facts =
        Ui.facts()
            .add("Limit", Html.text(row.map(QueueRow::limit).orElse("none")))
            .add(
                "Groups",
                Ui.link(
                    GroupsScreen.page(queue, visit),
                    set.isFair() ? "served in turn" : "not separated"))
            .add(
                "Archive",
                Html.text(
                    set.archiveRetention()
                        .map(kept -> kept.isZero() ? "none" : "kept for " + Times.span(kept))
                        .orElse("kept for the default time")))
            .add(
                "Dead jobs",
                Html.text(
                    set.deadRetention()
                        .map(kept -> "deleted after " + Times.span(kept))
                        .orElse("kept until pruned")))
            .add(
                "Default priority",
                Html.text(
                    set.defaultPriority().isPresent()
                        ? "" + set.defaultPriority().getAsInt()
                        : "that of the job's type"))
            .add(
                "Default attempts",
                Html.text(
                    set.defaultMaxAttempts().isPresent()
                        ? "" + set.defaultMaxAttempts().getAsInt()
                        : "those of the job's type"))
            .add(
                "Behind a dead job",
                Html.text(
                    set.orderingPolicy()
                        .map(FilterText::lower)
                        .orElse("the policy of the job's type")));
    return visit.may(Role.ADMIN) ? Html.all(facts, SettingsForm.of(queue, set, visit)) : facts;
  }
}
