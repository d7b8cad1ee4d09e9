package dev.skipjack.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this host is called. */
final class HostName {

  private HostName() {}

  /** The environment first: asking the resolver can take seconds where DNS is broken. */
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
