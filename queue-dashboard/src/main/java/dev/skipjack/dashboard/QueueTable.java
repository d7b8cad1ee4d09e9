package dev.skipjack.dashboard;

import java.util.List;
import java.util.Map;

/** The table of queues. */
final class QueueTable {

  private QueueTable() {}

  static Node of(List<QueueRow> queues, Panel<Map<String, Sparkline>> activity, Visit visit) {
    if (queues.isEmpty()) {
      return Ui.empty(
          "No queue yet.",
          "A queue appears here with its first job or with a worker that serves it.");
    }
    return Table.of(queues)
        .rowStyle(queue -> queue.isPaused() ? "is-paused" : "")
        .column("Queue", "grow", queue -> name(queue, visit))
        .number("Pending", queue -> jobs(queue, queue.pending(), "pending", visit))
        .number("Oldest due", QueueTable::age)
        .column("Running", "wide", QueueTable::running)
        .number("Waiting", queue -> jobs(queue, queue.waiting(), "waiting", visit))
        .number("Dead", queue -> dead(queue, visit))
        .column("Last hour", queue -> Sparkline.node(activity.or(Map.of()).get(queue.name())))
        .number("Workers", QueueTable::workers);
  }

  private static Node name(QueueRow queue, Visit visit) {
    Node state =
        queue.isPaused()
            ? Ui.badge("paused", "st-waiting")
            : queue.isStuck() ? Ui.badge("no worker", "st-dead") : Html.NOTHING;
    return Html.span("with-badge")
        .add(
            Html.tag("a")
                .style("strong")
                .to("href", visit.link("/queue").with("name", queue.name()))
                .add(queue.name()),
            state);
  }

  private static Node jobs(QueueRow queue, Amount amount, String status, Visit visit) {
    return amount.number() == 0
        ? amount.node()
        : Html.tag("a")
            .style("plain-link")
            .to("href", jobsOf(queue.name(), status, visit))
            .add(amount.node());
  }

  private static Link jobsOf(String queue, String status, Visit visit) {
    return visit.link("/jobs").with("q", "queue:" + queue + " status:" + status);
  }

  private static Node dead(QueueRow queue, Visit visit) {
    return queue.dead().number() == 0
        ? queue.dead().node()
        : Html.span("bad").add(jobs(queue, queue.dead(), "dead", visit));
  }

  static Node age(QueueRow queue) {
    if (queue.oldest() == null) {
      return Html.span("faint").add("–");
    }
    return queue.isDue()
        ? Html.text(Times.span(queue.oldest()))
        : Html.span("faint").set("title", "No job is due yet.").add("not due");
  }

  private static Node running(QueueRow queue) {
    if (queue.slots() == 0) {
      return queue.running().node();
    }
    long running = queue.running().number();
    String text = "%s of %s".formatted(Amount.text(running), Amount.text(queue.slots()));
    return Html.div("meter")
        .add(
            Html.span("meter-text").add(text),
            Ui.bar((double) running / queue.slots(), "running", text + " slots are taken"));
  }

  private static Node workers(QueueRow queue) {
    return queue.workers() == 0 ? Html.span("faint").add("0") : Html.text("" + queue.workers());
  }
}
