package dev.skipjack.steps;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a job has recorded under a name.
 *
 * @param position the number of the memo among those of its job, from 1; 0 for an open wait
 * @param result the result as JSON; null if there is none
 * @param endsAt when the open wait ends; null for a memo
 * @param execution the execution that recorded it; 0 for an open wait
 */
record Memo(
    Type type, int position, @Nullable String result, @Nullable Instant endsAt, long execution) {

  /** What was recorded. */
  enum Type {
    RUN,
    /** A step whose undo was enqueued. It runs again. */
    UNDONE,
    SLEEP,
    AWAIT,
    VERSION,
    CHILDREN,
    JOIN;

    private final String literal = name().toLowerCase(Locale.ROOT);

    /** Returns the value of the column. */
    String literal() {
      return literal;
    }

    /** Returns the constant for a value of the column. */
    static Type of(String literal) {
      return valueOf(literal.toUpperCase(Locale.ROOT));
    }
  }

  /** Returns the size of the memo as JSON, in characters. */
  int size() {
    return result == null ? 0 : result.length();
  }

  /** Returns whether the step has been done, so that it does not run again. */
  boolean isDone() {
    return endsAt == null && type != Type.UNDONE;
  }
}
