package dev.skipjack.operations.read;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.regexpReplaceAll;
import static org.jooq.impl.DSL.splitPart;

import org.jooq.Field;

/**
 * Maps error messages to groups: the first line of the message, with {@code *} in place of each
 * quoted text and each word that contains a digit, which are the values of one job.
 *
 * <p>The server does this, because a list of a few groups is then all that it sends. A typical
 * message takes it 4 microseconds, and the most expensive one that a job can have about 100. The
 * collation {@code C} keeps the classes of characters independent of the database.
 */
final class ErrorGroups {

  /** The number of characters that are compared and shown. */
  private static final int LONGEST = 200;

  /** The number of characters of the message that are read, because values may be long. */
  private static final int READ = 300;

  /**
   * A quote in single quotes begins after a character that is not part of a word, unlike the
   * apostrophe of "can't". The end of the text that is read may have cut off the closing quote.
   */
  private static final String VALUES =
      "\"[^\"]*(\"|$)|(?<![[:alnum:]])'[^']*('|$)|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*";

  private ErrorGroups() {}

  /** Returns the group of a message; empty if there is no message. */
  static Field<String> of(Field<String> message) {
    Field<String> line =
        splitPart(left(coalesce(message, inline("")), inline(READ)), inline("\n"), inline(1));
    return left(regexpReplaceAll(line.collate("C"), inline(VALUES), inline("*")), inline(LONGEST));
  }
}
