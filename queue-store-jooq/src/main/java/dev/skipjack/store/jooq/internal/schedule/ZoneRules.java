package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Timing;
import java.time.zone.ZoneRulesProvider;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** The version of the time zone data with which this JVM calculates planned times. */
final class ZoneRules {

  private ZoneRules() {}

  /** Returns the version, for example 2026a. */
  static String version() {
    NavigableMap<String, ?> versions = ZoneRulesProvider.getVersions("Europe/Berlin");
    return versions.isEmpty() ? "" : versions.lastKey();
  }

  /**
   * Returns the version to store with a planned time of {@code timing}, or null if its zone has a
   * fixed offset.
   */
  static @Nullable String of(Timing timing) {
    return timing.zone().getRules().isFixedOffset() ? null : version();
  }
}
