package dev.skipjack.dedup;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a duplicate on the job that holds its key.
 *
 * @param parts the parts of the job that the duplicate changes; empty to leave the job unchanged
 * @param quiet how long after the latest request a debounced job is due; null if it is not
 *     debounced
 * @param maxWait the maximum time from the first request until a debounced job is due; null if it
 *     is not debounced
 */
record Conflict(Set<JobPart> parts, @Nullable Duration quiet, @Nullable Duration maxWait) {

  static final Conflict KEEP = new Conflict(EnumSet.noneOf(JobPart.class), null, null);

  boolean changes(JobPart part) {
    return parts.contains(part);
  }

  boolean changesNothing() {
    return parts.isEmpty();
  }
}
