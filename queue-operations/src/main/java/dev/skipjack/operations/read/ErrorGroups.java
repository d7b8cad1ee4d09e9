package dev.skipjack.operations.read;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.regexpReplaceAll;
import static org.jooq.impl.DSL.splitPart;

import org.jooq.Field;

/**
 * Maps error messages to groups: the first line of the message, with {@code *} in place of each
 * quoted text and each word that contains a digit.
 *
 * <p>The server computes the groups, so that it sends only a few of them. This takes 4 microseconds
 * for a typical message, and about 100 for the most expensive one. The collation {@code C} keeps
 * the classes of characters independent of the database.
 */
final class ErrorGroups {

  /** The number of characters that are compared and shown. */
  private static final int LONGEST = 200;

  /** The number of characters of the message that are read, because values may be long. */
  private static final int READ = 300;

  /**
   * A text in single quotes begins after a character that is not part of a word, unlike the
   * apostrophe of "can't". The closing quote may be missing, because long messages are cut off.
   */
  private static final String VALUES =
      "\"[^\"]*(\"|$)|(?<![[:alnum:]])'[^']*('|$)|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*";

  private ErrorGroups() {}

  /** Returns the group of a message, or an empty text if there is no message. */
  static Field<String> of(Field<String> message) {
    Field<String> line =
        splitPart(left(coalesce(message, inline("")), inline(READ)), inline("\n"), inline(1));
    return left(regexpReplaceAll(line.collate("C"), inline(VALUES), inline("*")), inline(LONGEST));
  }
}
