package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decodes query strings and forms. */
final class Parameters {

  private static final int MOST = 100;

  private Parameters() {}

  /**
   * Returns the parameters by name.
   *
   * @throws Refusal if there are too many, or an escape is malformed
   */
  static Map<String, List<String>> of(@Nullable String encoded) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    if (encoded == null || encoded.isEmpty()) {
      return parameters;
    }
    List<String> pairs = List.of(encoded.split("&", MOST + 1));
    if (pairs.size() > MOST) {
      throw Refusal.badInput("The request has too many parameters.");
    }
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      parameters.computeIfAbsent(decoded(name), none -> new ArrayList<>()).add(decoded(value));
    }
    return parameters;
  }

  static String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw Refusal.badInput("The address or the form contains a malformed escape.");
    }
  }
}
