package dev.skipjack.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Determines the name of this host. */
final class HostName {

  private HostName() {}

  /**
   * Returns the name from the environment if it is set there, because the resolver can take seconds
   * if DNS is misconfigured.
   */
  static String get() {
    String fromEnvironment = System.getenv("HOSTNAME");
    if (fromEnvironment != null && !fromEnvironment.isBlank()) {
      return fromEnvironment;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "worker";
    }
  }
}
