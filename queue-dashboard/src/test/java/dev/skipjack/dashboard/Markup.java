package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the tags of a page as a browser does, and checks that only those of the program occur. */
final class Markup {

  private static final Pattern TAG =
      Pattern.compile("<(/?)([a-zA-Z!][^\\s>/]*)((?:\\s+[^\\s=>]+(?:=\"[^\"]*\")?)*)\\s*>");

  private static final Pattern ATTRIBUTE = Pattern.compile("\\s+([^\\s=>]+)(?:=\"([^\"]*)\")?");

  private static final Set<String> ELEMENTS =
      Set.of(
          "!doctype",
          "html",
          "head",
          "meta",
          "title",
          "link",
          "script",
          "body",
          "header",
          "nav",
          "main",
          "section",
          "div",
          "span",
          "p",
          "h1",
          "h2",
          "h3",
          "ul",
          "ol",
          "li",
          "a",
          "svg",
          "path",
          "circle",
          "rect",
          "g",
          "table",
          "thead",
          "tbody",
          "tr",
          "th",
          "td",
          "form",
          "input",
          "button",
          "select",
          "option",
          "textarea",
          "label",
          "details",
          "summary",
          "pre",
          "code",
          "dl",
          "dt",
          "dd",
          "time",
          "figure",
          "figcaption",
          "desc");

  private static final Set<String> ADDRESSES = Set.of("href", "src", "action");

  private Markup() {}

  /** Checks a page, and returns the addresses of its links, forms and files. */
  static List<String> check(String page) {
    List<String> addresses = new ArrayList<>();
    Matcher tags = TAG.matcher(page);
    int scripts = 0;
    int end = 0;
    while (tags.find()) {
      assertThat(page.substring(end, tags.start())).as("text between tags").doesNotContain("<");
      end = tags.end();
      String name = tags.group(2).toLowerCase(Locale.ROOT);
      assertThat(ELEMENTS).contains(name);
      if (name.equals("script") && tags.group(1).isEmpty()) {
        scripts++;
      }
      Matcher attributes = ATTRIBUTE.matcher(tags.group(3));
      while (attributes.find()) {
        String attribute = attributes.group(1);
        assertThat(attribute).doesNotStartWith("on").isNotEqualTo("style").matches("[A-Za-z-]+");
        if (ADDRESSES.contains(attribute)) {
          String address = Browser.plain(String.valueOf(attributes.group(2)));
          assertThat(address).matches("(?:\\.\\./)*[a-z0-9/.-]*(?:\\?.*)?|\\./.*|#main");
          addresses.add(address);
        }
      }
    }
    assertThat(page.substring(end)).doesNotContain("<");
    assertThat(scripts).isLessThanOrEqualTo(1);
    return addresses;
  }
}
