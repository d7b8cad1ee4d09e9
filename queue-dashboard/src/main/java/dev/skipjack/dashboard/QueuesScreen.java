package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.dashboard.SharedQueries.Started;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** All queues. */
final class QueuesScreen implements Screen<QueuesScreen.Model> {

  private static final int PAGE = 100;

  /**
   * @param after the queue after which the page begins; empty for the first page
   * @param queues the queues
   * @param activity what ended in the last hour, by queue
   */
  record Model(
      String after, Panel<List<QueueRow>> queues, Panel<Map<String, Sparkline>> activity) {}

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
    return "Queues";
  }

  @Override
  public Model read(Visit visit) {
    VisibleReads reads = visit.reads();
    var activity = Sparkline.start(visit);
    return new Model(
        visit.request().parameter("after").orElse(""),
        rows(reads.counts(), reads.oldestPending(), reads.queues(), reads.workers()),
        activity.panel());
  }

  /** Combines the queries about queues. The counts decide whether there is anything to show. */
  static Panel<List<QueueRow>> rows(
      Started<List<JobCount>> counts,
      Started<List<PendingAge>> ages,
      Started<List<QueueState>> states,
      Started<List<ServingWorker>> workers) {
    Panel<List<PendingAge>> ageRows = ages.panel();
    Panel<List<QueueState>> stateRows = states.panel();
    Panel<List<ServingWorker>> workerRows = workers.panel();
    Panel<List<JobCount>> counted = counts.panel();
    String problem =
        Stream.of(counted, ageRows, stateRows, workerRows)
            .map(Panel::problem)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    return new Panel<>(counted.value(), counted.asOf(), problem)
        .map(
            all ->
                QueueRow.of(
                    all, ageRows.or(List.of()), stateRows.or(List.of()), workerRows.or(List.of())));
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Ui.panel(
        "All queues",
        model.queues(),
        visit,
        Html.NOTHING,
        all -> {
          List<QueueRow> rest =
              all.stream().filter(queue -> queue.name().compareTo(model.after()) > 0).toList();
          List<QueueRow> page = rest.stream().limit(PAGE).toList();
          return Html.all(
              QueueTable.of(page, model.activity(), visit),
              rest.size() > PAGE
                  ? Html.tag("p")
                      .style("pager")
                      .add(
                          Ui.buttonLink(
                              visit.link("/queues").with("after", page.get(PAGE - 1).name()),
                              "Next queues",
                              ""))
                  : Html.NOTHING);
        });
  }
}
