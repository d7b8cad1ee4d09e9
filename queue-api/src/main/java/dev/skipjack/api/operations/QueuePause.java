package dev.skipjack.api.operations;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A pause of a queue: how long it lasts, who requested it, and why. Instances are immutable;
 * methods that add a property return a new instance.
 *
 * <pre>{@code
 * admin.pause("emails", QueuePause.of(Duration.ofHours(1)).by("anna").because("The mail server is down"));
 * }</pre>
 *
 * @param duration the length of the pause, measured by the database clock, positive and at most
 *     36,500 days; null if the pause lasts until the queue is resumed
 * @param actor who requested the pause, from 1 to 200 characters without NUL; null if it is not
 *     recorded
 * @param reason why the queue is paused, from 1 to 500 characters without NUL; null if it is not
 *     recorded
 */
public record QueuePause(
    @Nullable Duration duration, @Nullable String actor, @Nullable String reason) {

  private static final int LONGEST_ACTOR = 200;
  private static final int LONGEST_REASON = 500;

  /**
   * Checks the properties.
   *
   * @param duration how long the queue is paused
   * @param actor who requested it
   * @param reason the reason
   */
  public QueuePause {
    if (duration != null
        && (duration.isZero()
            || duration.isNegative()
            || duration.compareTo(EnqueueOptions.LONGEST_DELAY) > 0)) {
      throw new IllegalArgumentException(
          "Duration %s of a pause must be positive and at most %d days."
              .formatted(duration, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    requireText("Actor", actor, LONGEST_ACTOR);
    requireText("Reason", reason, LONGEST_REASON);
  }

  private static void requireText(String what, @Nullable String text, int longest) {
    if (text != null && (text.isBlank() || text.length() > longest || text.indexOf('\0') >= 0)) {
      throw new IllegalArgumentException(
          "%s '%s' of a pause must have 1 to %d characters, not be blank, and contain no NUL."
              .formatted(
                  what,
                  text.substring(0, Math.min(80, text.length())).replace('\0', '\uFFFD'),
                  longest));
    }
  }

  /** {@return a pause that lasts until the queue is resumed} */
  public static QueuePause untilResumed() {
    return new QueuePause(null, null, null);
  }

  /**
   * {@return a pause that ends on its own}
   *
   * @param duration how long the queue is paused
   */
  public static QueuePause of(Duration duration) {
    return new QueuePause(duration, null, null);
  }

  /**
   * Sets who requested the pause.
   *
   * @param actor who requested it
   * @return a copy with this change
   */
  public QueuePause by(String actor) {
    return new QueuePause(duration, actor, reason);
  }

  /**
   * Sets why the queue is paused.
   *
   * @param reason the reason
   * @return a copy with this change
   */
  public QueuePause because(String reason) {
    return new QueuePause(duration, actor, reason);
  }
}
