package dev.skipjack.api.spi;

import java.nio.charset.StandardCharsets;

/** Checks the names of groups, which are stored unchanged. */
public final class GroupKey {

  /** The maximum length of a name, in bytes of UTF-8. */
  public static final int LONGEST = 200;

  private GroupKey() {}

  /**
   * Checks that the name of a group can be stored.
   *
   * @param group the name of the group
   * @return {@code group}
   * @throws IllegalArgumentException if {@code group} is empty, is longer than {@link #LONGEST}, or
   *     contains characters that PostgreSQL rejects
   */
  public static String require(String group) {
    StoredKey.require("Group", group);
    int length = group.getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          "Group '%s' has %,d bytes in UTF-8; 1 to %,d are allowed. Use an id, or a hash of the name."
              .formatted(SafeText.of(group, 80), length, LONGEST));
    }
    return group;
  }
}
