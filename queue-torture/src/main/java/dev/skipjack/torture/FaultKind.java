package dev.skipjack.torture;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What is made to go wrong, and how often. */
public enum FaultKind {
  /** A worker's or a producer's process is killed and started again. */
  KILL(8, false),
  /** A worker's process is frozen for longer than its leases, and goes on as a zombie. */
  STOP(1.75, false),
  /** The server ends some sessions. */
  BACKEND(8, false),
  /** The server is stopped without order, or killed, and started again. */
  POSTMASTER(1, true),
  /** The network swallows, resets, refuses or delays. */
  PROXY(2, false),
  /** Connections break just before or just after a COMMIT, five at a time. */
  COMMIT_CUT(36, false),
  /** A worker's pool has no connection left for longer than a lease. */
  POOL(1, false),
  /** The clocks of two workers are an hour off, one ahead and one behind, from begin to end. */
  CLOCK(0, false);

  private final double perMinute;
  private final boolean needsOwnServer;

  FaultKind(double perMinute, boolean needsOwnServer) {
    this.perMinute = perMinute;
    this.needsOwnServer = needsOwnServer;
  }

  /** How often it strikes in so many minutes; at least once, unless it never does. */
  int times(double minutes) {
    return strikes() ? (int) Math.max(1, Math.round(perMinute * minutes)) : 0;
  }

  /** Whether it strikes at times; otherwise it holds from begin to end, and is healed by nobody. */
  boolean strikes() {
    return perMinute > 0;
  }

  /** Whether only a server that the torture itself started may be treated so. */
  boolean needsOwnServer() {
    return needsOwnServer;
  }

  /** As users write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** All labels, for messages. */
  public static String labels() {
    return Arrays.stream(values()).map(FaultKind::label).collect(Collectors.joining(","));
  }

  /**
   * Reads a list of labels with commas between them; {@code none} for no fault at all.
   *
   * @throws IllegalArgumentException if one is unknown; the message is a sentence for the user
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
                          "--faults has no '%s'. There are %s, and none."
                              .formatted(label.strip(), labels()))));
    }
    return kinds;
  }
}
