package dev.skipjack.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes requests of this machine. A dashboard without an access rule and a token responds to
 * no others.
 */
final class LocalRequests {

  private static final List<String> NAMES = List.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern PORT = Pattern.compile(":[0-9]+$");
  private static final Pattern LOOPBACK =
      Pattern.compile("127(\\.[0-9]{1,3}){3}|::1|0:0:0:0:0:0:0:1");

  /** With these headers, a proxy passes on a request of another machine. */
  private static final List<String> OF_PROXIES =
      List.of(
          "Forwarded",
          "Via",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP");

  private LocalRequests() {}

  /**
   * Whether a Host header names this machine. A page of another site could otherwise read the
   * dashboard through a name that resolves to 127.0.0.1. Unlike {@link HostNames}, it accepts no
   * other addresses, with which a proxy on this machine was requested.
   */
  private static boolean isLocalName(@Nullable String host) {
    return host != null
        && NAMES.contains(PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst(""));
  }

  /**
   * Whether a request was sent on this machine, and not passed on by a proxy that says so.
   *
   * @param address the numeric address of the sender
   * @param header returns the value of a header, or null
   */
  static boolean isLocal(@Nullable String address, Function<String, @Nullable String> header) {
    return address != null
        && LOOPBACK.matcher(address).matches()
        && isLocalName(header.apply("Host"))
        && OF_PROXIES.stream().allMatch(name -> header.apply(name) == null);
  }
}
