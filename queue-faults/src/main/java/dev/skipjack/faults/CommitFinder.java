package dev.skipjack.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Reads what a client sends, in the frontend messages of PostgreSQL's protocol 3, and finds the
 * COMMIT: as a simple query, or as the execution of a portal of a statement that was parsed as one.
 * Belongs to the thread that reads the client.
 *
 * <p>Holding back the chunk in which the COMMIT ends holds back the COMMIT, because the server does
 * not process part of a message.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-message-formats.html">Message
 *     formats</a>
 */
final class CommitFinder {

  /** Only this much of a message is kept; names and the text of a COMMIT are short. */
  private static final int KEPT = 512;

  private static final int LONGEST_START = 10_000;
  private static final int LONGEST = 1 << 30;
  private static final int PROTOCOL_3 = 3;

  private final Set<String> statements = new HashSet<>();
  private final Set<String> portals = new HashSet<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private boolean started;
  private boolean unreadable;
  private int headerBytes;
  private char type;
  private int length;
  private int missing;

  /** Returns whether a COMMIT ends in this chunk. */
  boolean isIn(byte[] chunk, int size) {
    boolean found = false;
    for (int i = 0; i < size && !unreadable; i++) {
      found |= take(chunk[i]);
    }
    return found;
  }

  private boolean take(byte next) {
    if (missing > 0) {
      if (body.size() < KEPT) {
        body.write(next);
      }
      return --missing == 0 && finish();
    }
    if (started && headerBytes == 0) {
      type = (char) next;
      headerBytes = 1;
      return false;
    }
    length = (length << 8) | (next & 0xff);
    headerBytes++;
    if (headerBytes < (started ? 5 : 4)) {
      return false;
    }
    missing = length - 4;
    unreadable = missing < 0 || missing > (started ? LONGEST : LONGEST_START); // TLS, perhaps
    return missing == 0 && finish();
  }

  private boolean finish() {
    Words words = new Words(body.toByteArray());
    body.reset();
    headerBytes = 0;
    length = 0;
    if (!started) {
      started = words.number() >>> 16 == PROTOCOL_3; // else a request for encryption
      return false;
    }
    switch (type) {
      case 'Q' -> {
        return isCommit(words.text());
      }
      case 'P' -> mark(statements, words.text(), isCommit(words.text()));
      case 'B' -> mark(portals, words.text(), statements.contains(words.text()));
      case 'E' -> {
        return portals.contains(words.text());
      }
      default -> {}
    }
    return false;
  }

  private static void mark(Set<String> names, String name, boolean commits) {
    if (commits) {
      names.add(name);
    } else {
      names.remove(name);
    }
  }

  private static boolean isCommit(String sql) {
    String first = sql.strip().toUpperCase(Locale.ROOT);
    return first.equals("COMMIT") || first.startsWith("COMMIT;") || first.startsWith("COMMIT ");
  }

  /** The fields of a message, from the left. */
  private static final class Words {

    private final byte[] bytes;
    private int at;

    Words(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Up to the next zero byte. */
    String text() {
      int from = Math.min(at, bytes.length);
      at = from;
      while (at < bytes.length && bytes[at] != 0) {
        at++;
      }
      return new String(bytes, from, at++ - from, UTF_8);
    }

    int number() {
      int number = 0;
      for (int i = 0; i < 4 && at < bytes.length; i++) {
        number = (number << 8) | (bytes[at++] & 0xff);
      }
      return number;
    }
  }
}
