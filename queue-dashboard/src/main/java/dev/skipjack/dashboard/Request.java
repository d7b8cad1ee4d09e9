package dev.skipjack.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request, as the server passes it to the dashboard.
 *
 * @param method the method, in capitals
 * @param path the decoded path below the one at which the dashboard is mounted; {@code /} for its
 *     first page
 * @param headers the headers, by name in lower case
 * @param query the parameters of the query string, decoded
 * @param form the parameters of the body, if it is a form; otherwise empty
 * @param user the user whom the server has authenticated; null if there is none
 * @param roles whether the server says that this user has a role
 * @param secure whether the request was sent over TLS, or a proxy says so in {@code
 *     X-Forwarded-Proto}. Cookies are then sent over TLS only
 */
public record Request(
    String method,
    String path,
    Map<String, List<String>> headers,
    Map<String, List<String>> query,
    Map<String, List<String>> form,
    @Nullable String user,
    Predicate<String> roles,
    boolean secure) {

  /**
   * Converts the names of headers to lower case, and reads from them whether a proxy uses TLS.
   *
   * @param method the method
   * @param path the path
   * @param headers the headers
   * @param query the parameters of the query string
   * @param form the parameters of the form
   * @param user the authenticated user
   * @param roles the roles of that user
   * @param secure whether the request was sent over TLS
   */
  public Request {
    Map<String, List<String>> lower = new TreeMap<>();
    headers.forEach((name, values) -> lower.put(name.toLowerCase(Locale.ROOT), values));
    headers = Map.copyOf(lower);
    String protocol = first(headers, "x-forwarded-proto").orElse("");
    secure = secure || protocol.split(",", 2)[0].strip().equalsIgnoreCase("https");
    query = Map.copyOf(query);
    form = Map.copyOf(form);
  }

  /**
   * {@return the first value of a header, or empty if the request has none}
   *
   * @param name the name, in any case
   */
  public Optional<String> header(String name) {
    return first(headers, name.toLowerCase(Locale.ROOT));
  }

  /**
   * {@return the value of a cookie, or empty if the request has none with this name}
   *
   * @param name the name
   */
  public Optional<String> cookie(String name) {
    return headers.getOrDefault("cookie", List.of()).stream()
        .flatMap(header -> List.of(header.split(";", -1)).stream())
        .map(String::strip)
        .filter(pair -> pair.startsWith(name + "="))
        .map(pair -> pair.substring(name.length() + 1))
        // Some clients send values in quotes.
        .map(value -> value.matches("\".*\"") ? value.substring(1, value.length() - 1) : value)
        .findFirst();
  }

  Optional<String> parameter(String name) {
    return first(query, name);
  }

  Optional<String> field(String name) {
    return first(form, name);
  }

  private static Optional<String> first(Map<String, List<String>> values, String name) {
    return values.getOrDefault(name, List.of()).stream().findFirst();
  }
}
