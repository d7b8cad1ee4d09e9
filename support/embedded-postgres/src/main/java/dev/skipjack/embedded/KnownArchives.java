package dev.skipjack.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The archives of PostgreSQL whose SHA-256 hashes are recorded in this module. Any other archive is
 * rejected before it is unpacked, unless its hash is configured explicitly. Without this check, an
 * attacker who can replace a jar in a repository could run programs on this machine.
 */
final class KnownArchives {

  /**
   * The system property with the hashes of additional archives that may be used, separated by
   * commas.
   */
  static final String PROPERTY = "skipjack.embedded.sha256";

  private static final String RESOURCE = "known-archives.sha256";

  private KnownArchives() {}

  /**
   * Checks that an archive is known or trusted.
   *
   * @param hash the hexadecimal SHA-256 hash of the archive
   * @param trusted hashes that are accepted in addition to the known ones, separated by commas;
   *     null for none
   * @throws EmbeddedPostgresException if the archive is neither known nor trusted
   */
  static void require(URL archive, String hash, @Nullable String trusted) throws IOException {
    Map<String, String> known = read();
    if (known.containsKey(hash) || isTrusted(hash, trusted)) {
      return;
    }
    throw new EmbeddedPostgresException(
        "The PostgreSQL in %s has the SHA-256 %s, which is none of those that this version knows (%s). Use one of these versions, or, if you trust the jar, start with -D%s=%s."
            .formatted(
                archive,
                hash,
                known.values().stream().sorted().collect(Collectors.joining(", ")),
                PROPERTY,
                hash));
  }

  private static boolean isTrusted(String hash, @Nullable String trusted) {
    return trusted != null
        && Arrays.stream(trusted.split(",", -1))
            .map(String::strip)
            .anyMatch(hash::equalsIgnoreCase);
  }

  /** Returns the names of the jars by the hashes of their archives. */
  static Map<String, String> read() throws IOException {
    Map<String, String> known = new TreeMap<>();
    try (InputStream in =
            Objects.requireNonNull(KnownArchives.class.getResourceAsStream(RESOURCE), RESOURCE);
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      lines
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(line -> known.put(line.substring(0, 64), line.substring(64).strip()));
    }
    return known;
  }
}
