package dev.skipjack.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this host. */
final class HostName {

  private HostName() {}

  /** Reads the environment first, because the resolver can take seconds if DNS is misconfigured. */
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
