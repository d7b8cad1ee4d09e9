package dev.skipjack.torture;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of faults, with the rate at which each is injected. */
public enum FaultKind {
  /** A worker's or a producer's process is killed and restarted. */
  KILL(8, false),
  /** A worker's process is frozen for longer than its leases, then continues as a zombie. */
  STOP(1.75, false),
  /** The server terminates some sessions. */
  BACKEND(8, false),
  /** The server is stopped immediately, or one of its processes is killed; then it is restarted. */
  POSTMASTER(1, true),
  /** The network discards, resets, refuses or delays traffic. */
  PROXY(2, false),
  /** Connections break just before or just after a COMMIT, five at a time. */
  COMMIT_CUT(36, false),
  /** A worker's pool has no free connection for longer than a lease. */
  POOL(1, false),
  /**
   * The clocks of two workers are wrong by an hour for the whole run: one is ahead and one behind.
   */
  CLOCK(0, false);

  private final double perMinute;
  private final boolean needsOwnServer;

  FaultKind(double perMinute, boolean needsOwnServer) {
    this.perMinute = perMinute;
    this.needsOwnServer = needsOwnServer;
  }

  /**
   * Returns how often the fault is injected in the given number of minutes: at least once, or 0 if
   * it is not scheduled.
   */
  int times(double minutes) {
    return isScheduled() ? (int) Math.max(1, Math.round(perMinute * minutes)) : 0;
  }

  /**
   * Returns whether the fault is injected at scheduled times. Otherwise it lasts for the whole run.
   */
  boolean isScheduled() {
    return perMinute > 0;
  }

  /**
   * Returns whether the fault needs an embedded server, because it must not affect a server that
   * the user provides.
   */
  boolean needsOwnServer() {
    return needsOwnServer;
  }

  /** Returns the name in options and reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns all labels, separated by commas. */
  public static String labels() {
    return Arrays.stream(values()).map(FaultKind::label).collect(Collectors.joining(","));
  }

  /**
   * Parses a list of labels separated by commas; {@code none} is the empty set.
   *
   * @throws IllegalArgumentException if a label is unknown, with a message for the user
   */
  public static Set<FaultKind> parse(String list) {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    if (list.strip().equals("none")) {
      return kinds;
    }
    for (String label : list.split(",", -1)) {
      kinds.add(
          Arrays.stream(values())
              .filter(kind -> kind.label().equals(label.strip()))
              .findAny()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "Unknown fault '%s' in --faults. Available faults: %s; or none."
                              .formatted(label.strip(), labels()))));
    }
    return kinds;
  }
}
