package dev.skipjack.dashboard;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobSummary;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parts of which the pages consist. */
final class Ui {

  private Ui() {}

  static Node badge(JobStatus status) {
    return badge(status.literal(), "st-" + status.literal());
  }

  static Node badge(ExecutionStatus status) {
    return badge(status.literal(), "ex-" + status.literal());
  }

  static Node badge(String text, String style) {
    return Html.span("badge " + style).add(text);
  }

  /** A part of a page with a heading, an optional remark beside it, and content. */
  static Node card(String heading, Node aside, Node... content) {
    return Html.tag("section")
        .style("card")
        .add(
            Html.div("card-head").add(Html.tag("h2", heading), Html.div("aside").add(aside)),
            Html.all(content));
  }

  /** A part of a page whose content is read from the database and may be missing. */
  static <T> Node panel(
      String heading, Panel<T> panel, Visit visit, Node aside, Function<T, Node> content) {
    return card(heading, aside, problem(panel, visit), content(panel, content));
  }

  static <T> Node content(Panel<T> panel, Function<T, Node> content) {
    T value = panel.value();
    return value == null ? Html.NOTHING : content.apply(value);
  }

  /** Returns why a panel is missing or old, or nothing. */
  static Node problem(Panel<?> panel, Visit visit) {
    String problem = panel.problem();
    if (problem == null) {
      return Html.NOTHING;
    }
    Element box = Html.tag("p").style("problem").set("role", "status").add(problem);
    return panel.asOf() == null
        ? box
        : box.add(" Shown as of ").add(visit.times().at(panel.asOf())).add(".");
  }

  /** Returns the text in place of an empty table. */
  static Node empty(String headline, String explanation) {
    return Html.div("empty").add(Html.tag("p", headline), Html.tag("p", explanation));
  }

  static Node link(Link link, String text) {
    return Html.tag("a").to("href", link).add(text);
  }

  static Node buttonLink(Link link, String text, String style) {
    return Html.tag("a").to("href", link).style("button " + style).add(text);
  }

  static Node job(JobId id, Visit visit) {
    return Html.tag("a").to("href", visit.link("/jobs/" + id)).style("mono").add(id.toString());
  }

  static Node queue(String queue, Visit visit) {
    return link(visit.link("/queue").with("name", queue), queue);
  }

  static Node mono(@Nullable String text) {
    return text == null ? Html.span("faint").add("–") : Html.span("mono").add(text);
  }

  static Node orDash(@Nullable String text) {
    return text == null || text.isEmpty() ? Html.span("faint").add("–") : Html.text(text);
  }

  /** The first line of an error, the rest on hover. */
  static Node error(@Nullable String message) {
    if (message == null || message.isEmpty()) {
      return Html.span("faint").add("–");
    }
    return Html.span("error-line")
        .set("title", cut(message, 1_000))
        .add(cut(firstLine(message), 240));
  }

  static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  static String cut(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "…";
  }

  static Node tags(List<String> tags) {
    return Html.all(tags.stream().map(tag -> Html.span("tag").add(tag)).toList());
  }

  /** Names and values in two columns. */
  static Facts facts() {
    return new Facts();
  }

  /** A list of names and values. */
  static final class Facts implements Node {
    private final Element list = Html.tag("dl").style("facts");

    Facts add(String name, Node value) {
      list.add(Html.tag("div").add(Html.tag("dt", name), Html.tag("dd").add(value)));
      return this;
    }

    Facts addIf(boolean present, String name, Node value) {
      return present ? add(name, value) : this;
    }

    @Override
    public void write(StringBuilder out) {
      list.write(out);
    }
  }

  /** A number at the top of a page, with what it means. */
  static Node tile(@Nullable Link link, String label, Node number, Node remark, String style) {
    Element tile = link == null ? Html.tag("div") : Html.tag("a").to("href", link);
    return tile.style("tile " + style)
        .add(
            Html.span("tile-label").add(label),
            Html.span("tile-number").add(number),
            Html.span("tile-remark").add(remark));
  }

  /** A bar that is filled to a part of its length. */
  static Node bar(double part, String style, String title) {
    double width = Math.max(0, Math.min(1, part)) * 100;
    return Html.tag("svg")
        .set("viewBox", "0 0 100 6")
        .set("preserveAspectRatio", "none")
        .style("bar " + style)
        .set("role", "img")
        .set("aria-label", title)
        .add(
            Html.tag("rect").style("bar-back").set("width", 100).set("height", 6),
            Html.tag("rect")
                .style("bar-fill")
                .set("width", "%.2f".formatted(width).replace(',', '.'))
                .set("height", 6));
  }

  /** The used attempts of a job out of the maximum. */
  static Node attempts(JobSummary job) {
    return Html.text("%d / %d".formatted(job.usedAttempts(), job.maxAttempts()));
  }

  static Node kindAndId(JobSummary job, Visit visit) {
    return Html.div("two")
        .add(
            Html.tag("a")
                .to("href", visit.link("/jobs/" + job.id()))
                .style("strong")
                .add(job.kind()),
            Html.span("mono faint").add("#" + job.id()));
  }
}
