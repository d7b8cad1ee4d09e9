package dev.skipjack.api;

import dev.skipjack.api.spi.SafeText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a job's tags may be: text that people read and filter by, on one line of a list. */
final class Tags {

  private static final int MOST = 20;
  private static final int LONGEST = 63;

  private Tags() {}

  /** The tags in the order given, each once. */
  static List<String> require(List<String> tags) {
    if (tags.size() > MOST) {
      throw new IllegalArgumentException(
          "%d tags; at most %d are allowed.".formatted(tags.size(), MOST));
    }
    Set<String> distinct = new LinkedHashSet<>();
    for (String tag : tags) {
      distinct.add(require(tag));
    }
    return List.copyOf(distinct);
  }

  private static String require(String tag) {
    int length = tag.codePointCount(0, tag.length());
    if (length < 1
        || length > LONGEST
        || tag.startsWith(" ")
        || tag.endsWith(" ")
        || !tag.codePoints().allMatch(Tags::isReadable)) {
      throw new IllegalArgumentException(
          "Tag '%s' is not allowed. Use 1 to %d characters, no control characters, no space at either end."
              .formatted(SafeText.of(tag, 80), LONGEST));
    }
    return tag;
  }

  /** The code points of a string hold a surrogate only where it stands alone. */
  private static boolean isReadable(int codePoint) {
    return !Character.isISOControl(codePoint)
        && !(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
  }
}
