package dev.skipjack.dashboard;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names by which a dashboard may be requested. A page of another site could otherwise read it
 * through a name of that site, once that name resolves to the address of the dashboard. IP
 * addresses are always accepted, because they are not resolved.
 *
 * @param names the accepted names in lower case, besides {@code localhost}
 */
record HostNames(Set<String> names) {

  /** Accepts no other names. */
  static final HostNames LOCAL = new HostNames(Set.of());

  static final String REFUSED =
      "This name is not one of the dashboard. Use localhost or the IP address, or name it in"
          + " Dashboard.Builder.hosts.";

  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");

  HostNames {
    names = names.stream().map(HostNames::lower).collect(Collectors.toUnmodifiableSet());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Whether a request with this Host header is accepted, whatever its port. */
  boolean accept(String header) {
    String name = lower(header).replaceFirst(":[0-9]+$", "");
    return name.equals("localhost") || names.contains(name) || ADDRESS.matcher(name).matches();
  }
}
