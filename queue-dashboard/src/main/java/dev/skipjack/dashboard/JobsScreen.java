package dev.skipjack.dashboard;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.PageToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Jobs that match a filter. */
final class JobsScreen implements Screen<JobsScreen.Model> {

  private static final Pattern NUMBER = Pattern.compile("#?([0-9]{1,18})");

  private static final List<String> TABS =
      List.of("", "pending", "running", "waiting", "dead", "completed", "cancelled");

  /**
   * @param filter the filter as the user wrote it
   * @param refusal why the filter cannot be used; null if it can
   * @param jobs the jobs of the page
   * @param next where the next page begins; null if there is none
   * @param archived whether the jobs have ended
   */
  record Model(
      String filter,
      @Nullable String refusal,
      Panel<List<JobSummary>> jobs,
      @Nullable String next,
      boolean archived) {}

  @Override
  public Nav nav() {
    return Nav.JOBS;
  }

  @Override
  public String title(Model model) {
    return "Jobs";
  }

  /** Returns the page of the job whose id was entered as the filter, or the list. */
  Response page(Visit visit) {
    Matcher number = NUMBER.matcher(filter(visit));
    return number.matches()
        ? Response.seeOther(visit.link("/jobs/" + number.group(1)).text())
        : Response.html(200, Layout.page(this, read(visit), visit));
  }

  private static String filter(Visit visit) {
    return visit.request().parameter("q").orElse("").strip();
  }

  @Override
  public Model read(Visit visit) {
    String text = filter(visit);
    JobQuery query;
    try {
      query = page(Filters.of(text, visit), visit);
    } catch (Refusal refusal) {
      if (visit.isForPrograms()) {
        throw refusal;
      }
      return new Model(text, refusal.sentence(), none(), null, false);
    }
    Panel<JobPage> page = visit.reads().jobs(query).panel();
    JobPage read = page.value();
    return new Model(
        text,
        null,
        page.map(JobPage::jobs),
        read == null ? null : read.next().map(PageToken::text).orElse(null),
        query.order() == JobOrder.FINISHED);
  }

  private static Panel<List<JobSummary>> none() {
    return new Panel<>(List.of(), null, null);
  }

  /** Returns the query of the requested page. Pending jobs of one queue are listed by due time. */
  private static JobQuery page(JobQuery filter, Visit visit) {
    JobQuery query = filter;
    String queue = filter.queue();
    if (filter.status() == JobStatus.PENDING && queue != null && filter.errorGroup() == null) {
      query = byDueTime(filter, queue);
    }
    String after = visit.request().parameter("after").orElse("");
    if (after.isEmpty()) {
      return query;
    }
    try {
      return query.after(new PageToken(after));
    } catch (IllegalArgumentException malformed) {
      throw Refusal.badInput(
          "The address of this page is malformed. Begin again at the first page.");
    }
  }

  private static JobQuery byDueTime(JobQuery filter, String queue) {
    return new JobQuery(
        JobOrder.DUE,
        queue,
        filter.kind(),
        filter.status(),
        filter.group(),
        filter.tag(),
        filter.error(),
        filter.errorClass(),
        filter.errorGroup(),
        filter.since(),
        filter.payload(),
        filter.limit(),
        null);
  }

  @Override
  public Node render(Model model, Visit visit) {
    return Html.all(search(model, visit), tabs(model, visit), list(model, visit), add(visit));
  }

  private static Node add(Visit visit) {
    return visit.may(Role.ADMIN) && visit.access().payloads()
        ? Html.tag("p").add(Ui.link(visit.link("/new"), "Enqueue a job"))
        : Html.NOTHING;
  }

  private static Node search(Model model, Visit visit) {
    return Html.tag("form")
        .set("method", "get")
        .to("action", visit.link("/jobs"))
        .set("role", "search")
        .style("search")
        .add(
            Html.tag("input")
                .set("type", "search")
                .set("name", "q")
                .set("value", model.filter())
                .set(
                    "placeholder",
                    "queue:emails kind:send-welcome error:\"timed out\", or the id of a job")
                .set("aria-label", "Filter")
                .set("autocomplete", "off")
                .set("spellcheck", "false"),
            Html.tag("button").set("type", "submit").style("button primary").add("Search"),
            Html.tag("details")
                .style("help")
                .add(
                    Html.tag("summary", "Filter words"),
                    Html.tag("p")
                        .add(
                            words(
                                "queue:emails",
                                "kind:send-welcome",
                                "status:dead",
                                "group:tenant-42",
                                "tag:vip",
                                "error:\"timed out\"",
                                "class:SocketTimeoutException",
                                "error-group:\"Order * was not found\"",
                                "since:2h",
                                "since:2026-12-01T08:00:00Z",
                                "payload.user.id:42")),
                    Html.tag(
                        "p",
                        "A number finds the job with this id. status:ended lists the archive. Names"
                            + " must be complete.")));
  }

  private static Node words(String... words) {
    List<Node> nodes = new ArrayList<>();
    for (String word : words) {
      nodes.add(Html.tag("code", word));
      nodes.add(Html.text(" "));
    }
    return Html.all(nodes);
  }

  private static Node tabs(Model model, Visit visit) {
    String rest = model.filter().replaceAll("(?:^|\\s)status:\\S*", "").strip();
    Matcher status = Pattern.compile("(?:^|\\s)status:(\\S*)").matcher(model.filter());
    String current = status.find() ? status.group(1) : "";
    Element list = Html.tag("nav").style("tabs").set("aria-label", "Status");
    for (String tab : TABS) {
      String filter = tab.isEmpty() ? rest : (rest + " status:" + tab).strip();
      list.add(
          Html.tag("a")
              .to("href", visit.link("/jobs").with("q", filter))
              .set("aria-current", tab.equals(current) ? "true" : null)
              .add(
                  tab.isEmpty()
                      ? "All live"
                      : tab.substring(0, 1).toUpperCase(Locale.ROOT) + tab.substring(1)));
    }
    return list;
  }

  private static Node list(Model model, Visit visit) {
    if (model.refusal() != null) {
      return Html.tag("p").style("note bad").set("role", "alert").add(model.refusal());
    }
    List<JobSummary> jobs = model.jobs().or(List.of());
    return Html.all(
        Html.tag("section")
            .style("card")
            .add(
                Ui.problem(model.jobs(), visit),
                jobs.isEmpty()
                    ? model.jobs().isMissing() ? Html.NOTHING : nothing(model)
                    : table(model, jobs, visit)),
        Html.div("pager")
            .add(
                bulk(model, jobs, visit),
                model.next() == null
                    ? Html.NOTHING
                    : Ui.buttonLink(
                        visit.link("/jobs").with("q", model.filter()).with("after", model.next()),
                        jobs.isEmpty() ? "Search further" : "Next page",
                        "")));
  }

  private static Node nothing(Model model) {
    if (model.next() != null) {
      return Ui.empty(
          "Nothing yet.",
          "A page reads at most 10,000 jobs, and none of these matches. There are more to search.");
    }
    return model.filter().isEmpty()
        ? Ui.empty("No live jobs.", "Jobs appear here from their enqueue until they end.")
        : Ui.empty(
            "No job matches.",
            "Check the spelling of names, or search the archive with status:ended.");
  }

  private static Node table(Model model, List<JobSummary> jobs, Visit visit) {
    Table<JobSummary> table =
        Table.of(jobs)
            .column("Job", "grow", job -> withError(job, visit))
            .column("Status", job -> Ui.badge(job.status()))
            .column("Queue", job -> Ui.queue(job.queue(), visit))
            .number("Attempts", Ui::attempts);
    if (jobs.stream().anyMatch(job -> !job.tags().isEmpty())) {
      table.column("Tags", job -> Ui.tags(job.tags()));
    }
    if (model.archived()) {
      return table.number("Ended", job -> visit.times().ago(job.finishedAt()));
    }
    boolean dead = onlyStatus(jobs) == JobStatus.DEAD;
    return table
        .number("Enqueued", job -> visit.times().ago(job.createdAt()))
        .number(
            dead ? "Died" : "Due",
            job -> visit.times().ago(dead ? job.diedAt() : job.scheduledAt()));
  }

  private static Node withError(JobSummary job, Visit visit) {
    return Html.div("two")
        .add(
            Html.span("with-badge")
                .add(
                    Html.tag("a")
                        .to("href", visit.link("/jobs/" + job.id()))
                        .style("strong")
                        .add(job.kind()),
                    Html.span("mono faint").add("#" + job.id())),
            job.lastError() == null ? Html.NOTHING : Ui.error(job.lastError()));
  }

  /** The changes that can be made to all jobs of the filter, with a preview. */
  private static Node bulk(Model model, List<JobSummary> jobs, Visit visit) {
    if (jobs.isEmpty() || model.archived() || !visit.may(Role.OPERATOR)) {
      return Html.NOTHING;
    }
    if (!visit.reads().isVisible(Filters.of(model.filter(), visit))) {
      return Html.div("bulk")
          .add(Html.span("faint").add("To change all jobs of a filter, name a queue in it."));
    }
    List<Node> buttons = new ArrayList<>();
    JobStatus status = onlyStatus(jobs);
    if (status == JobStatus.DEAD) {
      buttons.add(button(model, OperationAction.REDRIVE, "Redrive all…", "", visit));
      if (visit.may(Role.ADMIN)) {
        buttons.add(button(model, OperationAction.PRUNE, "Prune all…", "danger", visit));
      }
    } else {
      if (status == JobStatus.PENDING) {
        buttons.add(button(model, OperationAction.RUN_NOW, "Run all now…", "", visit));
      }
      buttons.add(button(model, OperationAction.CANCEL, "Cancel all…", "danger", visit));
    }
    return Html.div("bulk").add(Html.span("faint").add("All jobs of this filter:")).add(buttons);
  }

  private static @Nullable JobStatus onlyStatus(List<JobSummary> jobs) {
    JobStatus first = jobs.get(0).status();
    return jobs.stream().allMatch(job -> job.status() == first) ? first : null;
  }

  private static Node button(
      Model model, OperationAction action, String label, String style, Visit visit) {
    return Ui.buttonLink(
        visit.link("/preview").with("action", action.literal()).with("q", model.filter()),
        label,
        "small " + style);
  }
}
