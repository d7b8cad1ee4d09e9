package dev.skipjack.dashboard;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The head, the navigation and the frame of all pages. */
final class Layout {

  private Layout() {}

  static <M extends Record> String page(Screen<M> screen, M model, Visit visit) {
    int reload = screen.reloadSeconds(model);
    Element main =
        Html.tag("main")
            .set("id", "main")
            .set("data-reload", reload == 0 ? null : "" + reload)
            .add(
                Html.div("title")
                    .add(
                        Html.tag("h1", screen.title(model)),
                        Html.tag("p")
                            .style("as-of")
                            .add(Html.span("live-dot"))
                            .add("As of ")
                            .add(visit.times().at(visit.now()))
                            .add(" UTC")),
                note(visit),
                screen.render(model, visit));
    return document(
        screen.title(model),
        Visit.depth(visit.request().path()),
        theme(visit.request()),
        visit.services().settings().environment(),
        Html.all(side(screen.nav(), visit), main));
  }

  /** Returns a page without navigation. */
  static String plain(String title, Request request, @Nullable String environment, Node content) {
    return document(
        title,
        Visit.depth(request.path()),
        theme(request),
        environment,
        Html.tag("main")
            .set("id", "main")
            .style("plain")
            .add(brand(Visit.depth(request.path())), content));
  }

  private static String document(
      String title, int depth, String theme, @Nullable String environment, Node body) {
    return Html.render(
        Html.all(
            Html.trusted("<!doctype html>\n"),
            Html.tag("html")
                .set("lang", "en")
                .set("data-theme", theme)
                .add(
                    Html.tag("head")
                        .add(
                            Html.tag("meta").set("charset", "utf-8"),
                            Html.tag("meta")
                                .set("name", "viewport")
                                .set("content", "width=device-width, initial-scale=1"),
                            Html.tag("meta")
                                .set("name", "color-scheme")
                                .set("content", "light dark"),
                            Html.tag(
                                "title",
                                title
                                    + (environment == null ? "" : " · " + environment)
                                    + " · Skipjack"),
                            Html.tag("link").set("rel", "icon").to("href", Assets.ICON.link(depth)),
                            Html.tag("link")
                                .set("rel", "stylesheet")
                                .to("href", Assets.STYLE.link(depth)),
                            Html.tag("script")
                                .to("src", Assets.SCRIPT.link(depth))
                                .flag("defer", true)),
                    Html.tag("body")
                        .add(
                            Html.tag("a")
                                .style("skip")
                                .to("href", new Link("#main"))
                                .add("Skip to the content"),
                            body))));
  }

  static String theme(Request request) {
    return request
        .cookie(Theme.COOKIE)
        .filter(value -> value.equals("light") || value.equals("dark"))
        .orElse("auto");
  }

  private static Node brand(int depth) {
    return Html.tag("a")
        .style("brand")
        .to("href", Link.of(depth, "/"))
        .add(
            Html.tag("svg")
                .set("viewBox", "0 0 32 32")
                .set("aria-hidden", "true")
                .add(
                    Html.tag("path")
                        .set(
                            "d",
                            "M2 17c5-7 11-9 17-7 3 1 5 3 7 5l4-4-1 6 1 6-4-4c-3 3-6 5-10 5C10 24 5"
                                + " 21 2 17z"),
                    Html.tag("circle").set("cx", 8).set("cy", 16).set("r", "1.3").style("eye")))
        .add("Skipjack");
  }

  private static Node side(Nav current, Visit visit) {
    Settings settings = visit.services().settings();
    Element list = Html.tag("ul");
    for (Nav entry : Nav.values()) {
      if (!entry.isForEveryQueue() || visit.access().seesEverything()) {
        list.add(
            Html.tag("li")
                .add(
                    Html.tag("a")
                        .to("href", visit.link(entry.path()))
                        .set("aria-current", entry == current ? "page" : null)
                        .add(entry.icon(), Html.tag("span", entry.label()))));
      }
    }
    return Html.tag("header")
        .style("side")
        .add(
            Html.div("side-top")
                .add(
                    brand(Visit.depth(visit.request().path())),
                    settings.environment() == null
                        ? Html.NOTHING
                        : Html.span("env " + settings.colour().style())
                            .add(settings.environment())),
            Html.tag("nav").set("aria-label", "Pages").add(list),
            who(visit));
  }

  private static Node who(Visit visit) {
    Form themes = visit.form("/theme").style("themes");
    for (Theme theme : Theme.values()) {
      String name = theme.name().toLowerCase(Locale.ROOT);
      themes.add(
          Html.tag("button")
              .set("type", "submit")
              .set("name", "theme")
              .set("value", name)
              .set("aria-pressed", String.valueOf(theme(visit.request()).equals(name)))
              .add(theme.label()));
    }
    return Html.div("who")
        .add(
            Html.tag("p")
                .add(
                    Html.tag("span").style("user").add(visit.access().user()),
                    Html.span("faint").add(visit.access().role().name().toLowerCase(Locale.ROOT))),
            themes,
            visit.services().settings().login() == null
                ? Html.NOTHING
                : visit.form("/logout").button("Log out", "quiet small"));
  }

  private static Node note(Visit visit) {
    return Note.of(visit.request())
        .<Node>map(
            note ->
                Html.tag("p")
                    .style(note.isGood() ? "note good" : "note bad")
                    .set("role", "status")
                    .add(note.sentence()))
        .orElse(Html.NOTHING);
  }
}
