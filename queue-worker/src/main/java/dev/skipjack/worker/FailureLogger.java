package dev.skipjack.worker;

import dev.skipjack.api.JobError;
import dev.skipjack.worker.FailureLog.Detail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs why attempts failed, with at most a few lines per minute for each kind and error class, so
 * that a burst of failures does not hide the rest of the log. Safe for any number of threads.
 */
final class FailureLogger {

  /**
   * The maximum number of failed attempts, and of stack traces of dead jobs, that are logged in one
   * window of one kind and error class.
   */
  static final int LINES = 5;

  static final Duration WINDOW = Duration.ofMinutes(1);

  private static final int LONGEST_MESSAGE = 500;
  private static final int FRAMES = 3;

  /**
   * The maximum number of windows, without the shared one. Each is for the failed attempts or the
   * dead jobs of one kind and error class. Once all are used, all others share one window.
   */
  private static final int MOST_WINDOWS = 1_000;

  private static final Key OTHERS = new Key("(others)", "(others)", false);

  private record Key(String kind, String errorClass, boolean dead) {}

  private static final class Window {
    private final long begin;
    private int logged;
    private long leftOut;

    Window(long begin) {
      this.begin = begin;
    }
  }

  private final FailureLog settings;
  private final Logger log;
  private final LongSupplier nanoTime;
  private final Map<Key, Window> windows = new HashMap<>();

  FailureLogger(FailureLog settings, Logger log, LongSupplier nanoTime) {
    this.settings = settings;
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /** Logs that an attempt failed and its job will be retried. */
  void failed(AttemptInfo attempt, JobError error, Duration retryIn) {
    Level level = settings.level();
    if (level != null
        && log.isEnabledForLevel(level)
        && mayLog(new Key(attempt.kind(), classOf(error), false))) {
      log.atLevel(level)
          .log(
              "Job attempt failed {} retryInMs={} {}",
              attempt,
              retryIn.toMillis(),
              describe(error, settings.detail() == Detail.STACK));
    }
  }

  /** Logs that an attempt failed and its job is dead. */
  void dead(AttemptInfo attempt, JobError error) {
    if (settings.level() != null) {
      boolean withStack =
          settings.detail().compareTo(Detail.STACK_OF_DEAD) >= 0
              && error.stack() != null
              && mayLog(new Key(attempt.kind(), classOf(error), true));
      log.error("Job is dead {} {}", attempt, describe(error, withStack));
    }
  }

  /** Logs how many lines were left out in the windows that have ended. */
  void reportLeftOut() {
    report(WINDOW.toNanos());
  }

  /** Logs how many lines were left out until now. */
  void close() {
    report(0);
  }

  private void report(long age) {
    Map<Key, Window> ended = new HashMap<>();
    synchronized (windows) {
      long now = nanoTime.getAsLong();
      windows.forEach(
          (key, window) -> {
            if (now - window.begin >= age) {
              ended.put(key, window);
            }
          });
      windows.keySet().removeAll(ended.keySet());
    }
    ended.forEach(this::report);
  }

  /** Returns whether another line may be logged. If not, counts the line as left out. */
  private boolean mayLog(Key wanted) {
    Window ended = null;
    Key key = wanted;
    boolean fits;
    synchronized (windows) {
      if (windows.size() >= MOST_WINDOWS && !windows.containsKey(key)) {
        key = OTHERS;
      }
      long now = nanoTime.getAsLong();
      Window window = windows.get(key);
      if (window == null || now - window.begin >= WINDOW.toNanos()) {
        ended = window;
        window = new Window(now);
        windows.put(key, window);
      }
      fits = window.logged < LINES;
      if (fits) {
        window.logged++;
      } else {
        window.leftOut++;
      }
    }
    if (ended != null) {
      report(key, ended);
    }
    return fits;
  }

  private void report(Key key, Window window) {
    Level level = settings.level();
    if (window.leftOut > 0 && level != null) {
      log.atLevel(key.dead() ? Level.ERROR : level)
          .log(
              "{} kind={} error={} count={} inMs={}",
              key.dead()
                  ? "Stack traces of dead jobs left out of the log"
                  : "Failed job attempts left out of the log",
              key.kind(),
              key.errorClass().isEmpty() ? "none" : key.errorClass(),
              window.leftOut,
              Duration.ofNanos(nanoTime.getAsLong() - window.begin).toMillis());
    }
  }

  private static String classOf(JobError error) {
    return error.errorClass() == null ? "" : error.errorClass();
  }

  /** Describes an error on one line, in the configured detail. */
  String describe(JobError error) {
    return describe(error, false);
  }

  private String describe(JobError error, boolean withStack) {
    String errorClass = error.errorClass();
    StringBuilder text = new StringBuilder(256);
    if (errorClass != null) {
      text.append("error=").append(errorClass).append(' ');
    }
    if (settings.detail() == Detail.CLASS) {
      return errorClass == null ? "error=none" : text.toString().stripTrailing();
    }
    text.append(errorClass == null ? "reason=" : "message=")
        .append(LogText.quoted(error.message(), LONGEST_MESSAGE));
    String stack = error.stack();
    if (stack != null && withStack) {
      text.append(LogText.indented(stack));
    } else if (stack != null && settings.detail() != Detail.MESSAGE) {
      frames(text, stack);
    }
    return text.toString();
  }

  /** Appends the root cause and the first frames of the exception itself. */
  private static void frames(StringBuilder text, String stack) {
    List<String> frames = new ArrayList<>();
    String cause = null;
    for (String line : (Iterable<String>) stack.lines()::iterator) {
      if (line.startsWith("Caused by: ")) {
        cause = line.substring("Caused by: ".length());
      } else if (line.startsWith("\tat ") && cause == null && frames.size() < FRAMES) {
        frames.add(line.substring("\tat ".length()));
      }
    }
    add(text, " cause=", cause);
    add(text, " at=", frames.isEmpty() ? null : String.join(" < ", frames));
  }

  private static void add(StringBuilder text, String key, @Nullable String value) {
    if (value != null) {
      text.append(key).append(LogText.quoted(value, LONGEST_MESSAGE));
    }
  }
}
