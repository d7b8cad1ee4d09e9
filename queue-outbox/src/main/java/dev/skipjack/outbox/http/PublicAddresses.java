package dev.skipjack.outbox.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Distinguishes addresses of the public internet from those of private networks, which URIs of
 * customers must not reach. Source: IANA's registries of special-purpose IPv4 and IPv6 addresses.
 * In IPv6, only the global unicast addresses outside the special ranges are public.
 */
final class PublicAddresses {

  private static final List<Block> SPECIAL =
      Stream.of(
              "0.0.0.0/8",
              "10.0.0.0/8",
              "100.64.0.0/10",
              "127.0.0.0/8",
              "169.254.0.0/16",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.0.2.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "198.51.100.0/24",
              "203.0.113.0/24",
              "224.0.0.0/4",
              "240.0.0.0/4",
              "2001::/23",
              "2001:db8::/32",
              "2002::/16",
              "3fff::/20")
          .map(Block::of)
          .toList();

  private static final Block GLOBAL_UNICAST = Block.of("2000::/3");
  private static final int IPV4_BYTES = 4;

  private PublicAddresses() {}

  /** A range of addresses whose first {@code length} bits are those of {@code start}. */
  private static final class Block {

    private final byte[] start;
    private final int length;

    private Block(byte[] start, int length) {
      this.start = start;
      this.length = length;
    }

    static Block of(String text) {
      int slash = text.indexOf('/');
      try {
        return new Block(
            InetAddress.getByName(text.substring(0, slash))
                .getAddress(), // no lookup, because it is a literal
            Integer.parseInt(text.substring(slash + 1)));
      } catch (UnknownHostException e) {
        throw new IllegalStateException(text, e);
      }
    }

    boolean contains(byte[] address) {
      if (address.length != start.length) {
        return false;
      }
      for (int bit = 0; bit < length; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((address[bit / 8] & mask) != (start[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  static boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    return (bytes.length == IPV4_BYTES || GLOBAL_UNICAST.contains(bytes))
        && SPECIAL.stream().noneMatch(block -> block.contains(bytes));
  }
}
