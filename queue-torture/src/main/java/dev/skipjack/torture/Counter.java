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

  /** As reports write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
