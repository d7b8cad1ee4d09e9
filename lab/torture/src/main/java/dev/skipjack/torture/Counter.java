package dev.skipjack.torture;

import java.util.Locale;

/** The kinds of violations. docs/reliability.md defines what each counter counts. */
public enum Counter {
  LOST,
  UNEXPECTED,
  DOUBLE_COMPLETED,
  STALE_ACCEPTED,
  OVERLAPPING_LEASES,
  STUCK,
  AUDIT_GAPS,
  PHANTOM_JOBS,
  EARLY_CLAIMS,
  UNRUN_COMPLETIONS,
  ALTERED_JOBS,
  ORDER_VIOLATIONS,
  UNIQUE_VIOLATIONS,
  LIMIT_VIOLATIONS,
  LOST_FIRES,
  DOUBLE_FIRES,
  OUTBOX_MISSED,
  OUTBOX_PHANTOM,
  OUTBOX_MISORDERED,
  OUTBOX_DUPLICATES,
  OUTBOX_DELAYED,
  INBOX_VIOLATIONS,
  ROW_VIOLATIONS,
  MEMO_LOST,
  STEP_AFTER_MEMO,
  UNDO_MISSING,
  CALLBACKS_WRONG,
  UNPROVOKED_RERUNS;

  /** Returns the name in reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
