package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import org.jspecify.annotations.Nullable;

/**
 * An address within the dashboard, relative to the page that contains it. It therefore works
 * wherever the dashboard is mounted, even behind a proxy that adds or removes a prefix. Names, such
 * as those of queues, are always parameters, because servers treat slashes and dots in paths
 * differently.
 *
 * @param text the address
 */
record Link(String text) {

  /**
   * Returns the address of a path.
   *
   * @param depth how many slashes the path of the page has after its first
   * @param path the path of a route, beginning with a slash
   */
  static Link of(int depth, String path) {
    return new Link((depth == 0 ? "./" : "../".repeat(depth)) + path.substring(1));
  }

  /** Returns this address with a parameter. Null and an empty text are no parameter. */
  Link with(String name, @Nullable Object value) {
    if (value == null || value.toString().isEmpty()) {
      return this;
    }
    String separator = text.indexOf('?') < 0 ? "?" : "&";
    return new Link(text + separator + name + "=" + URLEncoder.encode(value.toString(), UTF_8));
  }
}
