package dev.skipjack.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Defines how a worker logs failed attempts and dead jobs. Immutable.
 *
 * <p>By {@linkplain #standard() default}, a failed attempt is logged at WARN on one line. The line
 * contains the kind, the ids, the number of the attempt, and the error's class, message, root cause
 * and first stack frames. A job that becomes dead is logged at ERROR, followed by the stack trace.
 * Every text passes through the {@link ErrorRedactor}, if there is one, and the line breaks in an
 * error's message are escaped.
 *
 * <p>For each kind and error class, the worker logs at most five failed attempts and five stack
 * traces of dead jobs per minute. A later line reports how many were left out. Every dead job is
 * logged on its own line.
 */
public final class FailureLog {

  /** The detail in which errors are logged. */
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

  /**
   * {@return the default: failed attempts at WARN with message and first stack frames, dead jobs at
   * ERROR with their stack trace}
   */
  public static FailureLog standard() {
    return STANDARD;
  }

  /**
   * {@return a setting that logs neither failed attempts nor dead jobs} Events, meters and the
   * audit still record them.
   */
  public static FailureLog off() {
    return new FailureLog(false, Level.WARN, Detail.CLASS);
  }

  /**
   * {@return a copy that logs failed attempts at {@code level}} Dead jobs are always logged at
   * ERROR.
   *
   * @param level the level, for example DEBUG if failures are common
   */
  public FailureLog level(Level level) {
    return new FailureLog(on, level, detail);
  }

  /** {@return a copy that logs the whole stack trace of failed attempts too} */
  public FailureLog withStack() {
    return new FailureLog(on, level, Detail.STACK);
  }

  /** {@return a copy that logs messages, but neither stack frames nor stack traces} */
  public FailureLog withoutStack() {
    return new FailureLog(on, level, Detail.MESSAGE);
  }

  /**
   * {@return a copy that logs only the class of an error} Use it if an exception or a reason may
   * quote data that must not be logged, and no {@link ErrorRedactor} removes that data.
   */
  public FailureLog classOnly() {
    return new FailureLog(on, level, Detail.CLASS);
  }

  /** Returns the level of failed attempts, or null if nothing is logged. */
  @Nullable Level level() {
    return on ? level : null;
  }

  Detail detail() {
    return detail;
  }

  /** Returns the settings as the worker logs them when it starts. */
  @Override
  public String toString() {
    return on ? level + "/" + detail : "off";
  }
}
