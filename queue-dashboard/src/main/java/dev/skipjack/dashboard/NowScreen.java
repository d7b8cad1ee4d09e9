package dev.skipjack.dashboard;

import dev.skipjack.api.operations.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The first page: whether all is well, and where it is not. */
final class NowScreen implements Screen<NowScreen.Model> {

  private static final int FEW = 5;
  private static final int MOST_QUEUES = 20;

  /**
   * @param findings what the doctor found; null if the visitor may not see it
   * @param workers how many living workers serve the visible queues
   * @param activity what ended in the last hour, by queue
   * @param charts the numbers of the last hour
   */
  record Model(
      Panel<List<QueueRow>> queues,
      @Nullable Panel<List<Finding>> findings,
      Panel<List<RunningRow>> running,
      Panel<List<DeadRow>> dead,
      Panel<Integer> workers,
      Panel<Map<String, Sparkline>> activity,
      Panel<Charts> charts) {}

  @Override
  public Nav nav() {
    return Nav.NOW;
  }

  @Override
  public int reloadSeconds() {
    return 3;
  }

  @Override
  public String title(Model model) {
    return "Now";
  }

  @Override
  public Model read(Visit visit) {
    VisibleReads reads = visit.reads();
    var counts = reads.counts();
    var ages = reads.oldestPending();
    var states = reads.queues();
    var workers = reads.workers();
    var running = reads.running();
    var dead = reads.deadLetters();
    var activity = Sparkline.start(visit);
    var charts = Charts.start(visit, Charts.Span.HOUR, null);
    var doctor = visit.access().seesEverything() ? reads.findings() : null;
    Panel<List<QueueRow>> queues = QueuesScreen.rows(counts, ages, states, workers);
    return new Model(
        queues,
        doctor == null ? null : doctor.panel(),
        running.panel(),
        dead.panel(),
        workers.panel().map(all -> (int) all.stream().filter(ServingWorker::isAlive).count()),
        activity.panel(),
        charts.panel());
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(
        health(model, visit),
        tiles(model, visit),
        ChartCard.of(
            model.charts(),
            "Last hour",
            Ui.link(MinutesScreen.page(null, visit), "Other times and table"),
            visit),
        queues(model, visit),
        lower(model, visit));
  }

  /** Whether all is well, which is why an operator opens the page. */
  private static Node health(Model model, Visit visit) {
    List<Reason> reasons = reasons(model, visit);
    boolean bad = reasons.stream().anyMatch(Reason::isBad);
    String headline =
        reasons.isEmpty()
            ? "All is well"
            : reasons.size() == 1
                ? "1 thing needs attention"
                : reasons.size() + " things need attention";
    return Html.tag("section")
        .style("health " + (bad ? "bad" : reasons.isEmpty() ? "good" : "warn"))
        .set("aria-label", "Health")
        .add(
            Html.tag("h2", headline),
            reasons.isEmpty()
                ? Html.tag(
                    "p", "Workers serve every queue with due jobs, and no check found a problem.")
                : Html.tag("ul")
                    .add(
                        reasons.stream()
                            .sorted(Comparator.comparing(Reason::isBad).reversed())
                            .map(Reason::node)
                            .toList()));
  }

  /** A reason why not all is well. */
  private record Reason(boolean isBad, Node sentence) {
    Node node() {
      return Html.tag("li").style(isBad ? "bad" : "").add(sentence);
    }
  }

  /** Users who may not see the doctor's findings get those that concern their queues. */
  private static List<Reason> reasons(Model model, Visit visit) {
    List<Reason> reasons = new ArrayList<>();
    if (model.queues().problem() != null) {
      reasons.add(new Reason(true, Html.text(model.queues().problem())));
    }
    Panel<List<Finding>> findings = model.findings();
    if (findings != null && findings.value() != null) {
      findings.value().forEach(finding -> add(reasons, finding, visit));
      return reasons;
    }
    for (QueueRow queue : model.queues().or(List.of())) {
      Node link = Ui.queue(queue.name(), visit);
      if (queue.isStuck()) {
        reasons.add(
            new Reason(
                true,
                Html.all(
                    Html.text("Jobs of "),
                    link,
                    Html.text(" are due, but no living worker serves this queue."))));
      } else if (queue.isPaused()) {
        String by = queue.pausedBy() == null ? "." : " by " + queue.pausedBy() + ".";
        reasons.add(
            new Reason(false, Html.all(Html.text("Queue "), link, Html.text(" is paused" + by))));
      }
    }
    return reasons;
  }

  private static void add(List<Reason> reasons, Finding finding, Visit visit) {
    if (finding.level() == Finding.Level.RED || finding.level() == Finding.Level.YELLOW) {
      reasons.add(
          new Reason(
              finding.level() == Finding.Level.RED,
              Html.all(
                  Html.text(finding.sentence() + " "), Ui.link(visit.link("/doctor"), "Details"))));
    }
  }

  private static Node tiles(Model model, Visit visit) {
    return model.queues().isMissing() ? unknownTiles() : knownTiles(model, visit);
  }

  /** Numbers that could not be read must not look like zero. */
  private static Node unknownTiles() {
    return Html.div("tiles")
        .add(
            Stream.of("Pending", "Running", "Waiting", "Dead", "Workers")
                .map(
                    label ->
                        Ui.tile(null, label, Html.text("?"), Html.text("could not be read"), ""))
                .toList());
  }

  private static Node knownTiles(Model model, Visit visit) {
    List<QueueRow> queues = model.queues().or(List.of());
    Amount pending = sum(queues, QueueRow::pending);
    Amount running = sum(queues, QueueRow::running);
    Amount waiting = sum(queues, QueueRow::waiting);
    Amount dead = sum(queues, QueueRow::dead);
    int slots = queues.stream().mapToInt(QueueRow::slots).sum();
    Duration oldest =
        queues.stream()
            .filter(queue -> !queue.isPaused())
            .map(QueueRow::oldest)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
    return Html.div("tiles")
        .add(
            tile(
                visit,
                "Pending",
                "status:pending",
                pending,
                oldest.isZero() ? "none is due" : "oldest due for " + Times.span(oldest),
                ""),
            tile(
                visit,
                "Running",
                "status:running",
                running,
                slots == 0 ? "no slots" : "of %s slots".formatted(Amount.text(slots)),
                ""),
            tile(visit, "Waiting", "status:waiting", waiting, "for an ordering key", ""),
            Ui.tile(
                visit.link("/dead"),
                "Dead",
                dead.node(),
                Html.text(dead.number() == 0 ? "none" : groups(model.dead().or(List.of()).size())),
                dead.number() == 0 ? "" : "bad"),
            Ui.tile(
                visit.link("/workers"),
                "Workers",
                model.workers().value() == null
                    ? Html.text("?")
                    : Html.text("" + model.workers().value()),
                Html.text("seen within 3 min"),
                Objects.equals(model.workers().value(), 0) ? "bad" : ""));
  }

  private static String groups(int number) {
    return number == 1 ? "with 1 error" : "with " + number + " errors";
  }

  private static Node tile(
      Visit visit, String label, String filter, Amount amount, String remark, String style) {
    return Ui.tile(
        visit.link("/jobs").with("q", filter), label, amount.node(), Html.text(remark), style);
  }

  private static Amount sum(List<QueueRow> queues, Function<QueueRow, Amount> part) {
    return queues.stream().map(part).reduce(Amount.NONE, Amount::plus);
  }

  private static Node queues(Model model, Visit visit) {
    return Ui.panel(
        "Queues",
        model.queues(),
        visit,
        Ui.link(visit.link("/queues"), "All queues"),
        rows ->
            QueueTable.of(
                rows.size() > MOST_QUEUES ? foremost(rows) : rows, model.activity(), visit));
  }

  /** Returns the queues to show if there are many: those whose jobs are late, dead or running. */
  private static List<QueueRow> foremost(List<QueueRow> queues) {
    return queues.stream()
        .sorted(
            Comparator.comparing(QueueRow::isStuck)
                .thenComparing(queue -> queue.oldest() == null ? Duration.ZERO : queue.oldest())
                .thenComparing(queue -> queue.dead().number())
                .thenComparing(queue -> queue.running().number())
                .reversed())
        .limit(MOST_QUEUES)
        .toList();
  }

  private static Node lower(Model model, Visit visit) {
    return Html.div("columns")
        .add(
            Ui.panel(
                "Running longest",
                model.running(),
                visit,
                Ui.link(visit.link("/running"), "All running"),
                rows ->
                    rows.isEmpty()
                        ? Ui.empty("Nothing runs.", "Jobs appear here while a worker runs them.")
                        : Table.of(rows.stream().limit(FEW).toList())
                            .column("Job", "grow", row -> Ui.kindAndId(row.job(), visit))
                            .column("Worker", row -> Ui.orDash(row.job().worker()))
                            .number("For", row -> Html.text(Times.span(row.runsFor())))),
            Ui.panel(
                "Dead by error",
                model.dead(),
                visit,
                Ui.link(visit.link("/dead"), "All errors"),
                rows ->
                    rows.isEmpty()
                        ? Ui.empty("No dead jobs.", "Jobs whose attempts are used up appear here.")
                        : Table.of(rows.stream().limit(FEW).toList())
                            .column("Error", "grow", row -> DeadScreen.error(row, visit))
                            .number("Jobs", DeadScreen::number)
                            .number("Last", row -> visit.times().ago(row.lastDiedAt()))));
  }
}
