package dev.skipjack.importing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The facts on which a plan depends: the tables of the source, the settings, and the kind for each
 * name. The text has eight hex digits for tables and settings, then six for each name. A single
 * hash would change whenever the last row with a name leaves the source, as every import makes it
 * do.
 */
final class PlanHash {

  private static final int SHAPE = 8;
  private static final int NAME = 6;
  private static final Pattern FORM = Pattern.compile("[0-9a-f]{8}([0-9a-f]{6})*");

  private final String shape;
  private final TreeMap<String, String> names = new TreeMap<>();

  PlanHash(List<String> shape) {
    this.shape = hash(shape, SHAPE);
  }

  /**
   * Adds a name.
   *
   * @param mapping the kind of its rows, or the reason why they stay
   */
  void add(String name, List<String> mapping) {
    names.put(name, hash(List.of(name, String.join("\0", mapping)), NAME));
  }

  /** Returns the text that {@link #require} accepts while nothing changes. */
  String text() {
    return shape + String.join("", names.values().stream().sorted().distinct().toList());
  }

  /** Checks that a text has the form of a plan's hash, and returns it. */
  static String requireForm(String plan) {
    if (!FORM.matcher(plan).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not the hash of a plan. Copy it from the output of plan.".formatted(plan));
    }
    return plan;
  }

  /**
   * Checks that an earlier plan had the same tables and settings, and all names with the same
   * kinds.
   *
   * @throws IllegalStateException if it did not
   */
  void require(String plan) {
    if (!plan.startsWith(shape)) {
      throw new IllegalStateException(
          "The tables of the source, or the settings, are not those of plan %s. Make a new plan."
              .formatted(plan));
    }
    Set<String> planned = new HashSet<>();
    for (int name = SHAPE; name < plan.length(); name += NAME) {
      planned.add(plan.substring(name, name + NAME));
    }
    List<String> others =
        names.entrySet().stream()
            .filter(name -> !planned.contains(name.getValue()))
            .map(name -> "'" + name.getKey() + "'")
            .toList();
    if (!others.isEmpty()) {
      throw new IllegalStateException(
          "Plan %s does not have %s, or has another kind for it. Make a new plan."
              .formatted(plan, String.join(", ", others)));
    }
  }

  private static String hash(List<String> parts, int digits) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      parts.forEach(part -> digest.update((part + '\0').getBytes(StandardCharsets.UTF_8)));
      return HexFormat.of().formatHex(digest.digest()).substring(0, digits);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256.", impossible);
    }
  }
}
