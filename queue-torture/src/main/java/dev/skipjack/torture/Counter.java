package dev.skipjack.torture;

import java.util.Locale;

/** What must not be. docs/reliability.md tells what each counts. */
public enum Counter {
  LOST,
  UNEXPECTED,
  DOUBLE_COMPLETED,
  STALE_ACCEPTED,
  OVERLAPPING_LEASES,
  STUCK,
  AUDIT_GAPS,
  ORDER_VIOLATIONS,
  UNIQUE_VIOLATIONS,
  UNPROVOKED_RERUNS;

  /** Whether anything could raise it: there is nothing yet that has an order. */
  boolean isChecked() {
    return this != ORDER_VIOLATIONS;
  }

  /** As reports write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
