package dev.skipjack.store.jooq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Defines the wake-ups of a schema: the name of their channel, the format of their text, and the
 * locks that prevent concurrent transactions from sending the same wake-up. The schema's function
 * {@code wake_up} uses the same definitions.
 */
final class WakeUpChannel {

  /**
   * The format of the text: queue, kind, priority and optionally an ordering key, each with at most
   * the length that jobs allow.
   */
  private static final Pattern TEXT =
      Pattern.compile(
          "(\\S{1,63}) (\\S{1,63}) (-?(?:100|[0-9]{1,2}))(?: (.{1,512}))?", Pattern.DOTALL);

  private final String schema;
  private final String name;

  WakeUpChannel(String schema) {
    this.schema = schema;
    this.name = "skipjack_" + HexFormat.of().formatHex(hash(schema), 0, 8);
  }

  /**
   * Returns the name of the channel. It consists of letters, digits and underscores, so it needs no
   * quotes.
   */
  String name() {
    return name;
  }

  String text(WakeUp wakeUp) {
    String text = wakeUp.lane().queue() + " " + wakeUp.kind() + " " + wakeUp.lane().priority();
    return wakeUp.orderingKey() == null ? text : text + " " + wakeUp.orderingKey();
  }

  /**
   * Parses the text of a notification. Returns empty if it is not a wake-up, because any role may
   * send any text on the channel.
   */
  Optional<WakeUp> read(String text) {
    Matcher words = TEXT.matcher(text);
    return words.matches()
        ? Optional.of(
            new WakeUp(
                new Lane(words.group(1), Integer.parseInt(words.group(3))),
                words.group(2),
                words.group(4)))
        : Optional.empty();
  }

  /** Returns the key of the advisory lock for a queue's wake-ups. */
  long lock(String queue) {
    return ByteBuffer.wrap(hash(schema + "/" + queue)).getLong();
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256.", e);
    }
  }
}
