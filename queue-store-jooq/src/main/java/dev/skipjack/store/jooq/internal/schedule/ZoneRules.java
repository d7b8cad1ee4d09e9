package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Timing;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.NavigableMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The version of the time zone data with which fire times are calculated, for example 2026a. */
final class ZoneRules {

  private final Supplier<String> version;

  /**
   * @param version returns the version of the data
   */
  ZoneRules(Supplier<String> version) {
    this.version = version;
  }

  /** Returns the rules of this JVM. */
  static ZoneRules ofJvm() {
    return new ZoneRules(ZoneRules::jvmVersion);
  }

  private static String jvmVersion() {
    NavigableMap<String, ?> versions = ZoneRulesProvider.getVersions("Europe/Berlin");
    return versions.isEmpty() ? "" : versions.lastKey();
  }

  String version() {
    return version.get();
  }

  /**
   * Returns the version to store with a fire time of {@code timing}, or null if its zone has a
   * fixed offset.
   */
  @Nullable String of(Timing timing) {
    ZoneId zone = timing.zone();
    return zone.getRules().isFixedOffset() ? null : version();
  }
}
