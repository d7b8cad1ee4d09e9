package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobSummary;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The form that enqueues a job, empty or with the content of another job. */
final class NewJobScreen implements Screen<NewJobScreen.Model> {

  private static final int ROWS = 10;

  /**
   * @param source the job that is copied; null for a new one
   * @param payload its payload; null if there is none, or a part of it is masked or not shown
   * @param orderingKey its ordering key; null if there is none
   */
  record Model(
      @Nullable JobSummary source, Json.@Nullable Raw payload, @Nullable String orderingKey) {}

  @Override
  public Nav nav() {
    return Nav.JOBS;
  }

  @Override
  public String title(Model model) {
    return model.source() == null ? "New job" : "Copy of job " + model.source().id();
  }

  @Override
  public Model read(Visit visit) {
    NewJobs.require(visit);
    String source = visit.request().parameter("like").orElse("");
    if (!source.matches("[0-9]{1,18}")) {
      return new Model(null, null, null);
    }
    JobScreen.Model job = JobScreen.read(new JobId(Long.parseLong(source)), visit);
    return new Model(job.job(), job.isPayloadComplete() ? job.payload() : null, job.orderingKey());
  }

  @Override
  public Node render(Model model, Visit visit) {
    JobSummary source = model.source();
    Form form =
        visit
            .form("/new")
            .target(NewJobs.target(source == null ? null : source.id()))
            .style("fields");
    if (source == null) {
      form.add(
          field("Kind", "kind", "", "send-welcome", true),
          field("Queue", "queue", "", "emails", true));
    }
    return Html.tag("section")
        .style("card preview")
        .add(
            source == null ? Html.NOTHING : copied(model, source, visit),
            form.add(
                    source == null || model.payload() != null
                        ? payload(model.payload())
                        : Html.NOTHING,
                    field(
                        "Priority, from -100 to 100",
                        "priority",
                        source == null ? "" : "" + source.priority(),
                        "that of the queue",
                        false),
                    field(
                        "Maximum number of attempts",
                        "attempts",
                        source == null ? "" : "" + source.maxAttempts(),
                        "that of the queue",
                        false),
                    field("Due at (UTC)", "at", "", "now, or 2026-12-01T08:00:00Z", false),
                    field(
                        "Ordering key",
                        "key",
                        Objects.requireNonNullElse(model.orderingKey(), ""),
                        "none",
                        false),
                    field(
                        "Group, such as the tenant",
                        "group",
                        source == null ? "" : Objects.requireNonNullElse(source.group(), ""),
                        "none",
                        false),
                    field(
                        "Tags, separated by commas",
                        "tags",
                        source == null ? "" : NewJobs.tagsOf(source),
                        "none",
                        false))
                .button("Enqueue", "primary"));
  }

  private static Node copied(Model model, JobSummary source, Visit visit) {
    return Html.all(
        Html.tag("p")
            .add("A job of the kind ")
            .add(Html.span("strong").add(source.kind()))
            .add(" in the queue ")
            .add(Ui.queue(source.queue(), visit))
            .add(", with the headers and the payload version of job ")
            .add(Ui.job(source.id(), visit))
            .add(", but not with its unique key."),
        model.payload() == null
            ? Html.tag("p")
                .style("remark")
                .add(
                    "The payload has masked fields or is long. It is copied as it is stored, and"
                        + " cannot be changed here.")
            : Html.NOTHING);
  }

  private static Node payload(Json.@Nullable Raw payload) {
    return Html.tag("label")
        .add("Payload (JSON)")
        .add(
            Html.tag("textarea")
                .set("name", "payload")
                .set("rows", ROWS)
                .set("spellcheck", "false")
                .flag("required", true)
                .add("\n" + (payload == null ? "{}" : payload.text())));
  }

  private static Node field(
      String label, String name, String value, String placeholder, boolean required) {
    return Html.tag("label")
        .add(label)
        .add(
            Html.tag("input")
                .set("name", name)
                .set("value", value)
                .set("placeholder", placeholder)
                .set("autocomplete", "off")
                .flag("required", required));
  }
}
