package dev.skipjack.operations.read;

import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.sql.Timestamps;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A position in a list, immediately after the job with this instant and id.
 *
 * <p>Its token is {@code <version>|<order>|<instant>|<id>} in Base64. The format has a version,
 * currently 1, because applications keep tokens in links.
 *
 * @param at the time when the job is due or has finished, in ISO 8601; an infinity represents an
 *     end of the list
 * @param id the id of the job
 */
record Position(String at, long id) {

  private static final String VERSION = "1";
  private static final String ALWAYS = "-infinity";
  private static final String NEVER = "infinity";

  /** Returns the position before the first job. */
  static Position startOf(JobOrder order) {
    return order == JobOrder.FINISHED
        ? new Position(NEVER, Long.MAX_VALUE)
        : new Position(ALWAYS, 0);
  }

  /** Returns a position in the list by id, in which positions have no instant. */
  static Position of(long id) {
    return new Position(ALWAYS, id);
  }

  static Position of(Instant at, long id) {
    return new Position(at.toString(), id);
  }

  /** Returns the time in a form that PostgreSQL reads. */
  String serverTime() {
    return isInfinite(at) ? at : Timestamps.text(Instant.parse(at));
  }

  PageToken token(JobOrder order) {
    String text = String.join("|", VERSION, order.name(), at, Long.toString(id));
    return new PageToken(
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Reads a token.
   *
   * @throws IllegalArgumentException if it is not a token, or belongs to a list of another order
   */
  static Position of(PageToken token, JobOrder order) {
    try {
      String[] parts =
          new String(Base64.getUrlDecoder().decode(token.text()), StandardCharsets.UTF_8)
              .split("\\|", -1);
      if (parts.length == 4 && parts[0].equals(VERSION) && parts[1].equals(order.name())) {
        return new Position(requireInstant(parts[2]), Long.parseLong(parts[3]));
      }
    } catch (IllegalArgumentException | DateTimeException broken) {
      throw refused(token, order, broken);
    }
    throw refused(token, order, null);
  }

  /** Returns the text if it is an instant, because it becomes a value of a statement. */
  private static String requireInstant(String at) throws DateTimeParseException {
    return isInfinite(at) ? at : Instant.parse(at).toString();
  }

  private static boolean isInfinite(String at) {
    return at.equals(ALWAYS) || at.equals(NEVER);
  }

  private static IllegalArgumentException refused(
      PageToken token, JobOrder order, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "Page token '%s' does not belong to a list ordered by %s. Start with the first page."
            .formatted(token, order),
        cause);
  }
}
