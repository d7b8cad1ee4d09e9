package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A browser without JavaScript: keeps cookies, follows links and sends the forms of pages. */
final class Browser {

  private static final Pattern FORM =
      Pattern.compile(
          "<form method=\"post\" action=\"([^\"]*)\"[^>]*>(.*?)</form>", Pattern.DOTALL);

  private static final Pattern FIELD =
      Pattern.compile(
          "<input ([^>]*)>|<textarea ([^>]*)>(.*?)</textarea>|<select ([^>]*)>(.*?)</select>",
          Pattern.DOTALL);

  private static final Pattern OPTION = Pattern.compile("<option ([^>]*)>");

  private final Dashboard dashboard;
  private final Map<String, List<String>> headers = new TreeMap<>();
  private final Map<String, String> cookies = new TreeMap<>();

  Browser(Dashboard dashboard, String access) {
    this.dashboard = dashboard;
    headers.put("x-access", List.of(access));
    headers.put("Host", List.of("dashboard.example"));
    headers.put("Sec-Fetch-Site", List.of("same-origin"));
  }

  /** Sets a header of all further requests; null removes it. */
  Browser header(String name, @Nullable String value) {
    headers.remove(name);
    if (value != null) {
      headers.put(name, List.of(value));
    }
    return this;
  }

  /** Requests an address, which begins with a slash. */
  Response get(String address) {
    return send("GET", address, Map.of());
  }

  /** Requests a page, which must exist, and returns it. */
  String page(String address) {
    Response response = get(address);
    assertThat(response.status()).as("GET %s: %s", address, response.text()).isEqualTo(200);
    return response.text();
  }

  Response send(String method, String address, Map<String, List<String>> form) {
    URI uri = URI.create(address);
    Map<String, List<String>> sent = new HashMap<>(headers);
    if (!cookies.isEmpty()) {
      List<String> pairs = new ArrayList<>();
      cookies.forEach((name, value) -> pairs.add(name + "=" + value));
      sent.put("Cookie", List.of(String.join("; ", pairs)));
    }
    Response response =
        dashboard.handle(
            new Request(
                method,
                String.valueOf(uri.getPath()),
                sent,
                Parameters.of(uri.getRawQuery()),
                form,
                null,
                role -> false,
                false));
    for (Response.Header header : response.headers()) {
      if (header.name().equals("Set-Cookie")) {
        String pair = header.value().split(";", 2)[0];
        cookies.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
      }
    }
    return response;
  }

  /**
   * Returns the fields of the form on a page that is sent to an address ending with this text, as a
   * browser would send them.
   */
  Map<String, List<String>> fields(String page, String action) {
    return fields(page, action, "");
  }

  /** Returns the fields of such a form that contains a text. */
  Map<String, List<String>> fields(String page, String action, String containing) {
    Matcher forms = FORM.matcher(page);
    while (forms.find()) {
      if (forms.group(1).endsWith(action) && forms.group(2).contains(containing)) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        Matcher found = FIELD.matcher(forms.group(2));
        while (found.find()) {
          if (found.group(1) != null) {
            put(fields, found.group(1), attribute(found.group(1), "value"));
          } else if (found.group(2) != null) {
            put(fields, found.group(2), found.group(3).replaceFirst("^\n", ""));
          } else {
            put(fields, found.group(4), chosen(found.group(5)));
          }
        }
        return fields;
      }
    }
    throw new AssertionError("No form for " + action + " in " + page);
  }

  private static void put(Map<String, List<String>> fields, String attributes, String value) {
    fields.put(attribute(attributes, "name"), List.of(plain(value)));
  }

  private static String attribute(String attributes, String name) {
    Matcher found = Pattern.compile("(?:^| )" + name + "=\"([^\"]*)\"").matcher(attributes);
    return found.find() ? found.group(1) : "";
  }

  /** Returns the value of the selected option, or of the first one. */
  private static String chosen(String options) {
    Matcher option = OPTION.matcher(options);
    String first = null;
    while (option.find()) {
      String value = attribute(option.group(1), "value");
      if (first == null || option.group(1).contains(" selected")) {
        first = value;
      }
    }
    return String.valueOf(first);
  }

  static String plain(String escaped) {
    return escaped
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
  }

  /** Sends the form of a page, and returns the page that the response leads to. */
  String submit(String address, String action, String... more) {
    return submitContaining(address, action, "", more);
  }

  String submitContaining(String address, String action, String containing, String... more) {
    Response response = sendForm(address, action, containing, more);
    assertThat(response.status()).as(response.text()).isEqualTo(303);
    return page(target(action, response));
  }

  Response sendForm(String address, String action, String containing, String... more) {
    Map<String, List<String>> fields =
        new LinkedHashMap<>(fields(page(address), action, containing));
    for (int i = 0; i < more.length; i += 2) {
      fields.put(more[i], List.of(more[i + 1]));
    }
    return send("POST", action, fields);
  }

  /** Returns the address to which a response leads. */
  static String target(String from, Response response) {
    String location =
        response.headers().stream()
            .filter(header -> header.name().equals("Location"))
            .map(Response.Header::value)
            .findFirst()
            .orElseThrow();
    return resolve(from, location);
  }

  /** Returns the address that a relative one has on a page. */
  static String resolve(String from, String relative) {
    URI base = URI.create("http://dashboard.example/mount/point" + from);
    String resolved = base.resolve(relative).toString();
    assertThat(resolved).startsWith("http://dashboard.example/mount/point/");
    return resolved.substring("http://dashboard.example/mount/point".length());
  }
}
