package dev.skipjack.skiplocked;

import org.jooq.Record;
import org.jooq.SelectForUpdateOfStep;
import org.jooq.SelectForUpdateStep;

/**
 * The row lock that a claim takes. A row is skipped if another transaction holds a lock on it that
 * conflicts with this one.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS">Row
 *     locks</a>
 */
public enum LockStrength {

  /** For rows that the transaction will delete, or whose key it will change. */
  UPDATE,

  /**
   * The default, for rows that the transaction will update. Unlike {@link #UPDATE}, it does not
   * skip a row to which a foreign key in an uncommitted row refers.
   */
  NO_KEY_UPDATE,

  /** For rows that must not change; several transactions can claim the same row. */
  SHARE,

  /**
   * For rows that must not be deleted and must keep their key; several transactions can claim the
   * same row.
   */
  KEY_SHARE;

  /** Returns whether at most one transaction can hold this lock on a row. */
  boolean isExclusive() {
    return this == UPDATE || this == NO_KEY_UPDATE;
  }

  <R extends Record> SelectForUpdateOfStep<R> lock(SelectForUpdateStep<R> select) {
    return switch (this) {
      case UPDATE -> select.forUpdate();
      case NO_KEY_UPDATE -> select.forNoKeyUpdate();
      case SHARE -> select.forShare();
      case KEY_SHARE -> select.forKeyShare();
    };
  }
}
