package dev.skipjack.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A named database in the file {@code config}:
 *
 * <pre>{@code
 * [production]
 * url = jdbc:postgresql://db.example.org/shop?sslmode=verify-full
 * user = oncall
 * schema = skipjack
 * }</pre>
 *
 * <p>A profile may also contain a {@code password}. In that case, the file is rejected if other
 * users of the machine can read it.
 */
record Profile(
    String name,
    String url,
    @Nullable String user,
    @Nullable String password,
    @Nullable String schema) {

  /** The profile that is used if the user names no database. */
  static final String DEFAULT = "default";

  private static final Set<String> KEYS = Set.of("url", "user", "password", "schema");

  /**
   * Reads a profile.
   *
   * @return the profile; empty if the file or the profile does not exist
   * @throws CommandFailure if the file cannot be used
   */
  static Optional<Profile> read(Path file, String name) {
    return Files.exists(file)
        ? Optional.ofNullable(sections(file).get(name)).map(keys -> of(file, name, keys))
        : Optional.empty();
  }

  private static Profile of(Path file, String name, Map<String, String> keys) {
    String url = keys.get("url");
    if (url == null) {
      throw CommandFailure.input(
          "Profile '%s' in %s has no url. Add: url = jdbc:postgresql://HOST:PORT/DATABASE"
              .formatted(name, file));
    }
    if (keys.containsKey("password") || url.matches("(?is).*[?&](ssl)?password=.*")) {
      requirePrivate(file);
    }
    return new Profile(name, url, keys.get("user"), keys.get("password"), keys.get("schema"));
  }

  private static Map<String, Map<String, String>> sections(Path file) {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    Map<String, String> section = null;
    List<String> lines = lines(file);
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[") && line.endsWith("]")) {
        section = new LinkedHashMap<>();
        sections.put(line.substring(1, line.length() - 1).strip(), section);
        continue;
      }
      int equals = line.indexOf('=');
      String key = equals < 0 ? "" : line.substring(0, equals).strip();
      if (section == null || !KEYS.contains(key)) {
        // The line itself may contain a password.
        throw CommandFailure.input(
            "%s, line %d: expected [PROFILE], or one of url, user, password and schema with '=' and a value."
                .formatted(file, number));
      }
      section.put(key, line.substring(equals + 1).strip());
    }
    return sections;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException unreadable) {
      throw CommandFailure.input(
          "%s cannot be read (%s). Make it readable, or name the database with --url."
              .formatted(file, unreadable));
    }
  }

  private static void requirePrivate(Path file) {
    Set<PosixFilePermission> permissions;
    try {
      permissions = Files.getPosixFilePermissions(file);
    } catch (IOException | UnsupportedOperationException notPosix) {
      return;
    }
    if (permissions.contains(PosixFilePermission.GROUP_READ)
        || permissions.contains(PosixFilePermission.OTHERS_READ)) {
      throw CommandFailure.input(
          "%s contains a password that other users can read. Run: chmod 600 %s"
              .formatted(file, file));
    }
  }
}
