package dev.skipjack.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds commits in the messages that a client sends to the server (PostgreSQL's protocol 3). A
 * commit is a COMMIT, sent as a simple query or by executing a portal, or the end of a statement
 * that writes outside a transaction. Used only by the thread that reads from the client.
 *
 * <p>Delaying the chunk in which the commit ends delays the commit, because the server does not
 * process part of a message.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-message-formats.html">Message
 *     formats</a>
 */
final class CommitFinder {

  /**
   * The number of bytes of each message to keep, enough for names and the start of a statement. A
   * statement that writes may begin with long queries.
   */
  private static final int KEPT = 8_192;

  private static final int LONGEST_START = 10_000;
  private static final int LONGEST = 1 << 30;
  private static final int PROTOCOL_3 = 3;

  private final Map<String, SqlEffect> statements = new HashMap<>();
  private final Map<String, SqlEffect> portals = new HashMap<>();
  private boolean inTransaction;
  private boolean hasWritten;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private boolean started;
  private boolean unreadable;
  private int headerBytes;
  private char type;
  private int length;
  private int missing;

  /** Returns whether a commit ends in this chunk. */
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
    unreadable = missing < 0 || missing > (started ? LONGEST : LONGEST_START); // this may be TLS
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
        boolean commits = false;
        for (String sql : words.text().split(";", -1)) {
          commits |= run(SqlEffect.of(sql));
        }
        return sync() || commits;
      }
      case 'P' -> statements.put(words.text(), SqlEffect.of(words.text()));
      case 'B' -> {
        String portal = words.text();
        portals.put(portal, statements.getOrDefault(words.text(), SqlEffect.NONE));
      }
      case 'E' -> {
        return run(portals.getOrDefault(words.text(), SqlEffect.NONE));
      }
      case 'S' -> {
        return sync();
      }
      default -> {}
    }
    return false;
  }

  private boolean run(SqlEffect effect) {
    switch (effect) {
      case BEGIN -> inTransaction = true;
      case COMMIT, ROLLBACK -> {
        inTransaction = false;
        hasWritten = false;
      }
      case WRITE -> hasWritten = !inTransaction;
      case NONE -> {}
    }
    return effect == SqlEffect.COMMIT;
  }

  /** Returns whether a Sync commits a write that ran outside a transaction. */
  private boolean sync() {
    boolean commits = hasWritten;
    hasWritten = false;
    return commits;
  }

  /** Reads the fields of a message in order. */
  private static final class Words {

    private final byte[] bytes;
    private int at;

    Words(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Reads a string, which ends at the next zero byte. */
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
