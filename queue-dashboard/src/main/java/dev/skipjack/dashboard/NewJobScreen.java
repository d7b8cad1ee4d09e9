package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobSummary;
import org.jspecify.annotations.Nullable;

/** The form that enqueues a job, empty or with the content of another job. */
final class NewJobScreen implements Screen<NewJobScreen.Model> {

  private static final int ROWS = 10;

  /**
   * @param source the job whose content the form has; null if there is none
   * @param payload its payload; null if there is none, or a part of it is masked or not shown
   */
  record Model(@Nullable JobSummary source, Json.@Nullable Raw payload) {}

  @Override
  public Nav nav() {
    return Nav.JOBS;
  }

  @Override
  public String title(Model model) {
    return "New job";
  }

  @Override
  public Model read(Visit visit) {
    NewJobs.require(visit);
    String source = visit.request().parameter("like").orElse("");
    if (!source.matches("[0-9]{1,18}")) {
      return new Model(null, null);
    }
    JobScreen.Model job = JobScreen.read(new JobId(Long.parseLong(source)), visit);
    return new Model(job.job(), job.isPayloadComplete() ? job.payload() : null);
  }

  @Override
  public Node render(Model model, Visit visit) {
    JobSummary source = model.source();
    Json.Raw payload = model.payload();
    Form form =
        visit
            .form("/new")
            .target(Signer.random())
            .style("fields")
            .add(
                field("Kind", "kind", source == null ? "" : source.kind(), "send-welcome", true),
                field("Queue", "queue", source == null ? "" : source.queue(), "emails", true),
                Html.tag("label")
                    .add("Payload (JSON)")
                    .add(
                        Html.tag("textarea")
                            .set("name", "payload")
                            .set("rows", ROWS)
                            .set("spellcheck", "false")
                            .flag("required", true)
                            .add("\n" + (payload == null ? "{}" : payload.text()))),
                field("Priority, from -100 to 100", "priority", "", "that of the queue", false),
                field("Maximum number of attempts", "attempts", "", "that of the queue", false),
                field("Due at (UTC)", "at", "", "now, or 2026-12-01T08:00:00Z", false),
                field("Ordering key", "key", "", "none", false),
                field("Tags, separated by commas", "tags", "", "none", false));
    return Html.tag("section")
        .style("card preview")
        .add(
            source != null && payload == null
                ? Html.tag("p")
                    .style("problem")
                    .add(
                        "The payload of that job has masked fields or is long, so it is not"
                            + " copied.")
                : Html.NOTHING,
            form.button("Enqueue", "primary"));
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
