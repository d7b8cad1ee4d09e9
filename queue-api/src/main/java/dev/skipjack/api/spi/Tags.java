package dev.skipjack.api.spi;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Validates tags, which are short texts for display and filtering. */
public final class Tags {

  private static final int MOST = 20;
  private static final int LONGEST = 63;

  private Tags() {}

  /**
   * {@return the tags in the order given, without duplicates}
   *
   * @param tags at most 20 tags of 1 to 63 characters
   */
  public static List<String> require(List<String> tags) {
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

  /**
   * Requires that PostgreSQL can store a text. This check is less strict than {@link #require},
   * because jobs that were not inserted by this library may have other tags.
   *
   * @param what the term for the text in the message
   * @param text the text
   */
  public static void requireStorable(String what, String text) {
    if (text.codePoints().anyMatch(c -> c == 0 || isSurrogate(c))) {
      throw new IllegalArgumentException(
          "%s '%s' is not allowed. It must contain neither U+0000 nor half of a surrogate pair."
              .formatted(what, SafeText.of(text, 80)));
    }
  }

  /**
   * Returns whether a tag may contain the code point. A surrogate among the code points of a string
   * is always a lone one.
   */
  private static boolean isReadable(int codePoint) {
    return !Character.isISOControl(codePoint) && !isSurrogate(codePoint);
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
