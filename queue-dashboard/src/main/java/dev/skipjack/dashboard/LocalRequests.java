package dev.skipjack.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes requests from this machine. A dashboard without an access rule and a token responds to
 * no others.
 */
final class LocalRequests {

  private static final List<String> NAMES = List.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern PORT = Pattern.compile(":[0-9]+$");
  private static final Pattern LOOPBACK =
      Pattern.compile("127(\\.[0-9]{1,3}){3}|::1|0:0:0:0:0:0:0:1");

  /** Headers that proxies add to the requests that they pass on. */
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
   * other IP address, because the sender may then be a proxy on this machine that keeps the header.
   */
  private static boolean isLocalName(@Nullable String host) {
    return host != null
        && NAMES.contains(PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst(""));
  }

  /**
   * Whether a request was sent from this machine, unless a header shows that a proxy has passed it
   * on.
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
