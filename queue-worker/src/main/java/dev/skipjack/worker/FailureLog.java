package dev.skipjack.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * How a worker logs failed attempts and dead jobs. Immutable.
 *
 * <p>The {@linkplain #standard() standard}: a failed attempt is a WARN line with kind, ids,
 * attempt, class and message of the error, its root cause and its first stack frames; a job that
 * becomes dead is an ERROR line followed by the stack trace. Every text has passed the {@link
 * ErrorRedactor}, if there is one, and contains no line breaks from the error.
 *
 * <p>For each kind and error class, at most five failed attempts and five stack traces of dead jobs
 * are logged per minute; a line at the end of the minute counts the others. Every dead job gets its
 * own line.
 */
public final class FailureLog {

  /** How much of an error is logged. */
  enum Detail {
    CLASS,
    MESSAGE,
    STACK_OF_DEAD,
    STACK
  }

  private static final FailureLog STANDARD = new FailureLog(true, Level.WARN, Detail.STACK_OF_DEAD);

  private final boolean on;
  private final Level level;
  private final Detail detail;

  private FailureLog(boolean on, Level level, Detail detail) {
    this.on = on;
    this.level = level;
    this.detail = detail;
  }

  /** Failed attempts at WARN with message and first frames, dead jobs at ERROR with their stack. */
  public static FailureLog standard() {
    return STANDARD;
  }

  /** Logs neither failed attempts nor dead jobs; events, meters and the audit still record them. */
  public static FailureLog off() {
    return new FailureLog(false, Level.WARN, Detail.CLASS);
  }

  /**
   * Returns this log with failed attempts at {@code level}. A dead job is always logged at ERROR.
   *
   * @param level for example DEBUG, if failures are common
   */
  public FailureLog level(Level level) {
    return new FailureLog(on, level, detail);
  }

  /** Returns this log with the whole stack trace for failed attempts too. */
  public FailureLog withStack() {
    return new FailureLog(on, level, Detail.STACK);
  }

  /** Returns this log with messages, but without frames and stack traces. */
  public FailureLog withoutStack() {
    return new FailureLog(on, level, Detail.MESSAGE);
  }

  /**
   * Returns this log with only the class of an error: for logs that must not contain data that an
   * exception or a reason may quote, if no {@link ErrorRedactor} removes it.
   */
  public FailureLog classOnly() {
    return new FailureLog(on, level, Detail.CLASS);
  }

  /** The level of failed attempts; null if nothing is logged. */
  @Nullable Level level() {
    return on ? level : null;
  }

  Detail detail() {
    return detail;
  }

  /** The settings as in the log line at the start of a worker. */
  @Override
  public String toString() {
    return on ? level + "/" + detail : "off";
  }
}
