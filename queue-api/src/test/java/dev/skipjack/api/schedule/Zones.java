package dev.skipjack.api.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The time zones of the JDK. */
final class Zones {

  static final Instant BEGIN = Instant.parse("1970-01-01T00:00:00Z");
  static final Instant END = Instant.parse("2038-01-01T00:00:00Z");

  /** One of the JDK's time zones for each set of rules. */
  static final List<ZoneId> DISTINCT = distinct();

  /** The zones in {@link #DISTINCT} whose offset changes. */
  static final List<ZoneId> CHANGING =
      DISTINCT.stream().filter(zone -> !changes(zone).isEmpty()).toList();

  private Zones() {}

  private static List<ZoneId> distinct() {
    Map<ZoneRules, ZoneId> zones = new LinkedHashMap<>();
    ZoneId.getAvailableZoneIds().stream()
        .sorted(Comparator.naturalOrder())
        .map(ZoneId::of)
        .forEach(zone -> zones.putIfAbsent(zone.getRules(), zone));
    return List.copyOf(zones.values());
  }

  /** Returns the changes of the zone's offset from {@link #BEGIN} to {@link #END}. */
  static List<ZoneOffsetTransition> changes(ZoneId zone) {
    List<ZoneOffsetTransition> changes = new ArrayList<>();
    ZoneOffsetTransition change = zone.getRules().nextTransition(BEGIN);
    while (change != null && change.getInstant().isBefore(END)) {
      changes.add(change);
      change = zone.getRules().nextTransition(change.getInstant());
    }
    return changes;
  }

  /** Returns whether the date exists in the zone. */
  static boolean exists(LocalDate date, ZoneId zone) {
    Instant noon = date.atTime(12, 0).atZone(zone).toInstant();
    if (LocalDate.ofInstant(noon, zone).equals(date)) {
      return true;
    }
    for (int minute = -36 * 60; minute <= 36 * 60; minute++) {
      if (LocalDate.ofInstant(noon.plusSeconds(60L * minute), zone).equals(date)) {
        return true;
      }
    }
    return false;
  }
}
