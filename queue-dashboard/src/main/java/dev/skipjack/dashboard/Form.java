package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A form that changes something. Its token allows only that change, to that target. */
final class Form implements Node {

  /** The name of the field with the reason of a change, which is recorded. */
  static final String REASON = "reason";

  private final Visit visit;
  private final String path;
  private final List<Node> content = new ArrayList<>();
  private String target = "";
  private String style = "inline";

  Form(Visit visit, String path) {
    this.visit = visit;
    this.path = path;
  }

  /** Sets the target of the change, which the token covers. */
  Form target(String value) {
    this.target = value;
    return this;
  }

  Form style(String classes) {
    this.style = classes;
    return this;
  }

  Form add(Node... parts) {
    content.addAll(List.of(parts));
    return this;
  }

  /** Adds a field for the reason, which may stay empty. */
  Form reason() {
    return add(
        Html.tag("input")
            .set("name", REASON)
            .set("maxlength", 200)
            .set("placeholder", "Reason (optional)")
            .set("aria-label", "Reason"));
  }

  /** Adds the button that sends the form. */
  Form button(String label, String classes) {
    return button(label, classes, null);
  }

  /** Adds the button that sends the form, and an explanation that is shown on hover. */
  Form button(String label, String classes, @Nullable String title) {
    return add(
        Html.tag("button")
            .set("type", "submit")
            .style("button " + classes)
            .set("title", title)
            .add(label));
  }

  @Override
  public void write(StringBuilder out) {
    Html.tag("form")
        .set("method", "post")
        .to("action", visit.link(path))
        .style(style)
        .add(hidden(Session.TOKEN, visit.token(path, target)))
        .add(target.isEmpty() ? Html.NOTHING : hidden(Session.TARGET, target))
        .add(content)
        .write(out);
  }

  static Node hidden(String name, String value) {
    return Html.tag("input").set("type", "hidden").set("name", name).set("value", value);
  }
}
