package dev.skipjack.importing;

import dev.skipjack.api.spi.Names;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Maps the names of another queue's jobs to kinds. */
final class Kinds {

  /**
   * A name's kind, or the reason why it has none.
   *
   * @param kind the kind; empty if there is none
   * @param reason why there is none; empty if there is one
   */
  record Mapped(String kind, String reason) {

    boolean isKind() {
      return reason.isEmpty();
    }
  }

  private Kinds() {}

  /**
   * Returns the kinds of all names.
   *
   * @param shortName returns the part of a name to which the rule applies
   * @param chosen kinds by name; the rule determines the kinds of all other names. Several names
   *     may have the same chosen kind
   */
  static Map<String, Mapped> of(
      List<String> names, UnaryOperator<String> shortName, Map<String, String> chosen) {
    Map<String, Mapped> kinds = new TreeMap<>();
    Map<String, String> byRule = new HashMap<>();
    for (String name : names.stream().sorted().toList()) {
      String kind = chosen.getOrDefault(name, ofRule(shortName.apply(name)));
      String other =
          chosen.containsKey(name)
              ? null
              : chosen.containsValue(kind) ? "a name that is mapped" : byRule.get(kind);
      if (other == null) {
        byRule.put(kind, "'" + name + "'");
      }
      kinds.put(name, other == null ? checked(kind) : new Mapped("", collision(kind, other)));
    }
    return kinds;
  }

  private static String collision(String kind, String other) {
    return "kind '%s' is that of %s: choose a kind for each".formatted(kind, other);
  }

  private static Mapped checked(String kind) {
    try {
      return new Mapped(Names.requireKind(kind), "");
    } catch (IllegalArgumentException refused) {
      return new Mapped("", "its name cannot be a kind: choose one");
    }
  }

  /**
   * Returns the name in lower case, with hyphens between the words of camel case and in place of
   * characters that a kind cannot contain, for example {@code send-email} for {@code sendEmail}.
   */
  static String ofRule(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9_.-]+", "-");
  }
}
