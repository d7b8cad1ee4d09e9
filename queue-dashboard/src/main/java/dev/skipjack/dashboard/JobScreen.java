package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.schedule.ScheduledFire;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One job: why it is in its state, what it contains, and its attempts. */
final class JobScreen implements Screen<JobScreen.Model> {

  private static final int MOST_ATTEMPTS = 100;

  /**
   * @param job the job; null if it could not be read
   * @param why why it is in its state
   * @param payload its payload, masked; null if the visitor may not see it
   * @param isPayloadComplete whether nothing of the payload is masked or cut off
   * @param stack where its handler is; null if that was not sampled
   * @param attempts its latest attempts, oldest first
   * @param problem why the job could not be read or refreshed; null if it could
   */
  record Model(
      JobId id,
      @Nullable JobSummary job,
      Panel<Optional<Why>> why,
      Json.@Nullable Raw payload,
      boolean isPayloadComplete,
      Json.@Nullable Raw result,
      Json.@Nullable Raw progress,
      Map<String, String> headers,
      @Nullable ScheduledFire fire,
      @Nullable String orderingKey,
      @Nullable String uniqueLabel,
      int payloadVersion,
      @Nullable Instant leaseExpiresAt,
      @Nullable Instant cancelRequestedAt,
      @Nullable HandlerStack stack,
      List<JobExecution> attempts,
      @Nullable String problem) {}

  /** Why a job is in its state, as the visitor may read it. */
  record Why(
      JobExplanation.Reason reason,
      String sentence,
      Map<String, String> evidence,
      @Nullable String fix) {}

  @Override
  public Nav nav() {
    return Nav.JOBS;
  }

  @Override
  public int reloadSeconds() {
    return 5;
  }

  @Override
  public int reloadSeconds(Model model) {
    JobSummary job = model.job();
    return job != null && !job.status().isLive() ? 0 : reloadSeconds();
  }

  @Override
  public String title(Model model) {
    JobSummary job = model.job();
    return job == null ? "Job " + model.id() : job.kind();
  }

  @Override
  public Model read(Visit visit) {
    return read(visit.job(), visit);
  }

  /** Returns a job that the visitor may see. */
  static Model read(JobId id, Visit visit) {
    var found = visit.reads().job(id);
    var why = visit.reads().why(id);
    Panel<Optional<SeenJob>> panel = found.panel();
    if (panel.isMissing()) {
      throw new Refusal(503, "Job %s could not be read. %s".formatted(id, panel.problem()));
    }
    SeenJob job = panel.or(Optional.empty()).orElseThrow(() -> notFound(id));
    return model(job, why.panel(), panel.problem());
  }

  /**
   * Returns the same refusal for a job that does not exist and for one that the visitor may not
   * see.
   */
  static Refusal notFound(JobId id) {
    return Refusal.notFound(
        "There is no job %s. It never existed, was pruned, ended in a queue without an archive, or is in a queue that you may not see."
            .formatted(id));
  }

  private static Model model(SeenJob seen, Panel<Optional<Why>> why, @Nullable String problem) {
    JobDetails job = seen.details();
    List<JobExecution> attempts = job.executions();
    return new Model(
        job.summary().id(),
        job.summary(),
        why,
        Json.Raw.of(job.payload()),
        seen.isPayloadComplete(),
        Json.Raw.of(job.result()),
        Json.Raw.of(job.progress()),
        new TreeMap<>(job.headers()),
        job.fire(),
        job.orderingKey(),
        job.uniqueLabel(),
        job.payloadVersion(),
        job.leaseExpiresAt(),
        job.cancelRequestedAt(),
        job.stack(),
        attempts.stream().skip(Math.max(0, attempts.size() - MOST_ATTEMPTS)).toList(),
        problem);
  }

  @Override
  public Node render(Model model, Visit visit) {
    JobSummary job = model.job();
    if (job == null) {
      return Html.NOTHING;
    }
    return Html.all(
        head(model, job, visit),
        model.problem() == null
            ? Html.NOTHING
            : Html.tag("p").style("problem").add(model.problem()),
        why(model, visit),
        Html.div("columns wide-left")
            .add(
                Html.div("stack")
                    .add(
                        Ui.card(
                            "Attempts",
                            Html.NOTHING,
                            Timeline.of(model, visit),
                            attempts(model, visit)),
                        model.stack() == null
                            ? Html.NOTHING
                            : Ui.card(
                                "Where the handler is",
                                Html.NOTHING,
                                StackView.whole(model.stack(), visit)),
                        document("Result", model.result(), visit),
                        document("Progress", model.progress(), visit),
                        payload(model, visit)),
                Html.div("stack")
                    .add(facts(model, job, visit), headers(model), edit(model, job, visit))));
  }

  private static Node head(Model model, JobSummary job, Visit visit) {
    return Html.div("toolbar")
        .add(
            Html.div("job-head")
                .add(
                    Ui.badge(job.status()),
                    Html.span("mono").add("#" + job.id()),
                    Html.span("faint").add("in"),
                    Ui.queue(job.queue(), visit),
                    model.cancelRequestedAt() == null
                        ? Html.NOTHING
                        : Ui.badge("cancel requested", "st-waiting")),
            Html.div("actions").add(actions(job, visit)));
  }

  private static List<Node> actions(JobSummary job, Visit visit) {
    List<Node> buttons = new ArrayList<>();
    String path = "/jobs/" + job.id();
    boolean operator = visit.may(Role.OPERATOR);
    if (operator && job.status() == JobStatus.DEAD) {
      buttons.add(
          visit
              .form(path + "/redrive")
              .button("Redrive", "primary", "Return it to its queue with fresh attempts"));
      if (visit.may(Role.ADMIN)) {
        buttons.add(confirmed(visit, path + "/prune", "Prune", "Delete this job permanently."));
      }
    }
    if (operator && job.status() == JobStatus.PENDING) {
      buttons.add(visit.form(path + "/run-now").button("Run now", "primary", "Make it due now"));
    }
    if (operator && job.status().isLive() && job.status() != JobStatus.DEAD) {
      buttons.add(
          confirmed(
              visit,
              path + "/cancel",
              "Cancel",
              job.status() == JobStatus.RUNNING
                  ? "Ask its worker to interrupt the handler."
                  : "Archive this job as cancelled, without running it."));
    }
    if (visit.may(Role.ADMIN) && visit.access().payloads()) {
      buttons.add(Ui.buttonLink(visit.link("/new").with("like", job.id()), "Enqueue a copy…", ""));
    }
    return buttons;
  }

  /** Returns a button that asks for a confirmation first, without a script. */
  private static Node confirmed(Visit visit, String path, String label, String question) {
    return Html.tag("details")
        .style("confirm")
        .add(
            Html.tag("summary").style("button").add(label + "…"),
            Html.div("popover")
                .add(
                    Html.tag("p", question),
                    visit.form(path).reason().button(label, "danger solid")));
  }

  private static Node why(Model model, Visit visit) {
    Why why = model.why().or(Optional.empty()).orElse(null);
    if (why == null) {
      return Ui.problem(model.why(), visit);
    }
    Element evidence = Html.tag("dl").style("evidence");
    why.evidence()
        .forEach(
            (name, value) ->
                evidence.add(
                    Html.tag("div")
                        .add(
                            Html.tag("dt", name.replace('_', ' ')),
                            Html.tag("dd", Ui.cut(value, 300)))));
    return Html.tag("section")
        .style("why " + tone(why.reason()))
        .add(
            Html.tag("h2", "Why is it " + heading(model) + "?"),
            Html.tag("p").style("sentence").add(why.sentence()),
            why.fix() == null
                ? Html.NOTHING
                : Html.tag("p").style("fix").add(Html.tag("code", why.fix())),
            why.evidence().isEmpty()
                ? Html.NOTHING
                : Html.tag("details").add(Html.tag("summary", "Evidence"), evidence));
  }

  private static String heading(Model model) {
    JobSummary job = model.job();
    return job == null ? "in this state" : job.status().literal();
  }

  private static String tone(JobExplanation.Reason reason) {
    return switch (reason) {
      case COMPLETED, RUNNING, NEXT_IN_LINE -> "good";
      case UNIQUE_KEY_TAKEN,
          PARKED,
          ATTEMPTS_USED_UP,
          FAILED_FOR_GOOD,
          LEASE_EXPIRED,
          NO_WORKER,
          KIND_UNKNOWN,
          QUEUE_NOT_SERVED,
          ORDERING_KEY_MISSING ->
          "bad";
      case ORDERING_KEY_BLOCKED,
          QUEUE_PAUSED,
          GROUP_PAUSED,
          LIMIT_REACHED,
          RATE_REACHED,
          CANCEL_REQUESTED,
          SLOTS_TAKEN ->
          "warn";
      case CANCELLED,
          BEHIND_ORDERING_KEY,
          PROMOTION_PENDING,
          SCHEDULED,
          RETRY_SCHEDULED,
          SIGNAL_AWAITED,
          SLEEPING,
          JOINING,
          BEHIND_OTHERS ->
          "calm";
    };
  }

  private static Node attempts(Model model, Visit visit) {
    if (model.attempts().isEmpty()) {
      return Ui.empty("Not tried yet.", "Each attempt appears here with its worker and its error.");
    }
    List<JobExecution> latestFirst = new ArrayList<>(model.attempts());
    Collections.reverse(latestFirst);
    Element list = Html.tag("ol").style("attempts").flag("reversed", true);
    latestFirst.forEach(attempt -> list.add(attempt(attempt, visit)));
    return list;
  }

  private static Node attempt(JobExecution attempt, Visit visit) {
    Instant finished = attempt.finishedAt();
    String took =
        Times.span(
            Duration.between(attempt.startedAt(), finished == null ? visit.now() : finished));
    Element item =
        Html.tag("li")
            .add(
                Html.div("attempt-head")
                    .add(
                        Html.span("strong").add("Attempt " + attempt.attempt()),
                        Ui.badge(attempt.status()),
                        visit.times().ago(attempt.startedAt()),
                        Html.span("faint").add(finished == null ? "for " + took : "took " + took),
                        Html.span("faint")
                            .add(attempt.worker() == null ? "" : "on " + attempt.worker())));
    if (attempt.error() != null) {
      String name = attempt.error().errorClass();
      item.add(
          Html.tag("p")
              .style("attempt-error")
              .add(
                  name == null ? Html.NOTHING : Html.span("mono error-class").add(name),
                  Html.span("error-text").add(attempt.error().message())));
      if (attempt.error().stack() != null && !attempt.error().stack().isEmpty()) {
        item.add(
            Html.tag("details")
                .add(
                    Html.tag("summary", "Stack trace"),
                    Html.tag("pre").set("tabindex", "0").add(attempt.error().stack())));
      }
    }
    return item;
  }

  private static Node document(String heading, Json.@Nullable Raw json, Visit visit) {
    return json == null ? Html.NOTHING : Ui.card(heading, Html.NOTHING, pre(json, visit));
  }

  private static Node pre(Json.Raw json, Visit visit) {
    return Html.tag("pre")
        .style("json")
        .set("tabindex", "0")
        .add(MaskedJson.of(json.text(), visit.services().settings().payloads()).node());
  }

  private static Node payload(Model model, Visit visit) {
    Json.Raw payload = model.payload();
    if (payload == null) {
      return Ui.card(
          "Payload",
          Html.NOTHING,
          Ui.empty("Hidden.", "You may not see payloads, or the database role may not read them."));
    }
    return Ui.card(
        "Payload",
        Html.span("faint").add("version " + model.payloadVersion()),
        pre(payload, visit),
        payload.isCut()
            ? Html.tag("p").style("remark").add("Only the beginning is shown.")
            : Html.NOTHING);
  }

  private static Node facts(Model model, JobSummary job, Visit visit) {
    Times times = visit.times();
    ScheduledFire fire = model.fire();
    return Ui.card(
        "Facts",
        Html.NOTHING,
        Ui.facts()
            .add("Attempts", Ui.attempts(job))
            .add("Priority", Html.text("" + job.priority()))
            .add("Enqueued", times.ago(job.createdAt()))
            .add("Due", times.ago(job.scheduledAt()))
            .addIf(job.startedAt() != null, "Last started", times.ago(job.startedAt()))
            .addIf(job.diedAt() != null, "Died", times.ago(job.diedAt()))
            .addIf(job.finishedAt() != null, "Ended", times.ago(job.finishedAt()))
            .addIf(job.worker() != null, "Worker", Ui.orDash(job.worker()))
            .addIf(model.leaseExpiresAt() != null, "Lease ends", times.ago(model.leaseExpiresAt()))
            .addIf(job.group() != null, "Group", Ui.mono(job.group()))
            .addIf(model.orderingKey() != null, "Ordering key", Ui.mono(model.orderingKey()))
            .addIf(model.uniqueLabel() != null, "Unique key", Ui.mono(model.uniqueLabel()))
            .addIf(
                fire != null,
                "Schedule",
                fire == null
                    ? Html.NOTHING
                    : Html.all(Html.text(fire.schedule() + " for "), times.at(fire.at())))
            .addIf(!job.tags().isEmpty(), "Tags", Ui.tags(job.tags())));
  }

  private static Node headers(Model model) {
    if (model.headers().isEmpty()) {
      return Html.NOTHING;
    }
    Ui.Facts facts = Ui.facts();
    model.headers().forEach((name, value) -> facts.add(name, Ui.mono(value)));
    return Ui.card("Headers", Html.NOTHING, facts);
  }

  private static Node edit(Model model, JobSummary job, Visit visit) {
    boolean editable =
        job.status() == JobStatus.PENDING
            || job.status() == JobStatus.WAITING
            || job.status() == JobStatus.DEAD;
    if (!visit.may(Role.ADMIN) || !editable) {
      return Html.NOTHING;
    }
    Form form = visit.form("/jobs/" + job.id() + "/edit").style("fields");
    form.add(
        Html.tag("label")
            .add("Priority")
            .add(
                Html.tag("input")
                    .set("type", "number")
                    .set("name", "priority")
                    .set("min", -100)
                    .set("max", 100)
                    .set("value", job.priority())));
    if (job.status() != JobStatus.DEAD) {
      form.add(
          Html.tag("label")
              .add("Due at (UTC), for example 2026-12-01T08:00:00Z")
              .add(
                  Html.tag("input")
                      .set("name", "at")
                      .set("placeholder", "unchanged")
                      .set("autocomplete", "off")));
    }
    Json.Raw payload = model.payload();
    if (payload != null && model.isPayloadComplete()) {
      form.add(
          Html.tag("label")
              .add("Payload")
              .add(
                  Html.tag("textarea")
                      .set("name", "payload")
                      .set("rows", Math.min(16, 2 + payload.text().lines().count()))
                      .set("spellcheck", "false")
                      .add("\n" + payload.text())));
    } else if (payload != null) {
      form.add(
          Html.tag("p")
              .style("remark")
              .add("The payload has masked fields or is long, so it cannot be edited here."));
    }
    form.reason().button("Save", "");
    return Ui.card(
        "Edit",
        Html.NOTHING,
        Html.tag("details").add(Html.tag("summary", "Change this job"), form));
  }
}
