package dev.skipjack.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The database that the user named, by {@code --url}, a profile, or the environment variables that
 * PostgreSQL's own programs read. A URL without a password takes the password from {@code
 * PGPASSWORD}, because every user of the machine can read the arguments of a process.
 *
 * @param jdbcUrl the URL, which may contain a password: keep it out of messages
 * @param origin how the user named the database, for messages
 */
public record DatabaseAddress(String jdbcUrl, String origin) {

  private static final String PREFIX = "jdbc:postgresql:";
  private static final String PASSWORD = "PGPASSWORD";

  /**
   * The PostgreSQL variables that become parameters of the driver's URL, with the parameters'
   * names.
   */
  private static final Map<String, String> TLS =
      new TreeMap<>(
          Map.of(
              "PGSSLMODE", "sslmode",
              "PGSSLROOTCERT", "sslrootcert",
              "PGSSLCERT", "sslcert",
              "PGSSLKEY", "sslkey"));

  /**
   * {@return the database that the URL or the variables name; empty if they name none}
   *
   * @param url the value of {@code --url}; null if it was not given
   * @param env the environment variables of the process
   * @throws IllegalArgumentException if the address cannot be used; the message is a sentence for
   *     the user
   */
  public static Optional<DatabaseAddress> of(@Nullable String url, Map<String, String> env) {
    // As in PostgreSQL's own programs, an empty variable counts as not set.
    Map<String, String> set = new HashMap<>(env);
    set.values().removeIf(String::isEmpty);
    if (url != null) {
      if (!url.startsWith(PREFIX)) {
        throw new IllegalArgumentException(
            "--url takes a JDBC URL: jdbc:postgresql://HOST:PORT/DATABASE?user=..., with the password in PGPASSWORD or as &password=...");
      }
      requireNoUserInfo(url, "--url");
      return Optional.of(
          new DatabaseAddress(withTls(withPassword(url, set.get(PASSWORD)), set), "--url"));
    }
    return set.containsKey("PGHOST") || set.containsKey("PGDATABASE")
        ? Optional.of(new DatabaseAddress(fromEnvironment(set), "PGHOST and PGDATABASE"))
        : Optional.empty();
  }

  /**
   * Returns the database that a profile names. If the profile has no password, {@code PGPASSWORD}
   * supplies it.
   *
   * @throws IllegalArgumentException as {@link #of} does
   */
  static DatabaseAddress ofProfile(Profile profile, Map<String, String> env) {
    String origin = "the profile '%s'".formatted(profile.name());
    if (!profile.url().startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          "The url of %s must begin with %s".formatted(origin, PREFIX + "//"));
    }
    requireNoUserInfo(profile.url(), "The url of " + origin);
    String password = profile.password() == null ? env.get(PASSWORD) : profile.password();
    String url = with("user", profile.user(), profile.url());
    return new DatabaseAddress(
        withTls(withPassword(url, password == null || password.isEmpty() ? null : password), env),
        origin);
  }

  /** Rejects {@code //user:password@host}, all of which the driver would treat as the host. */
  private static void requireNoUserInfo(String url, String what) {
    String authority = url.replaceFirst("[?].*", "").replaceFirst("^" + PREFIX + "//", "");
    if (authority.contains("@")) {
      throw new IllegalArgumentException(
          "%s contains a user before the host, which PostgreSQL's driver does not support. Write ?user=... after the database, and set the password in PGPASSWORD."
              .formatted(what));
    }
  }

  /** Returns this address with a parameter of the driver, unless the user has set it. */
  DatabaseAddress withDefault(String parameter, String value) {
    return new DatabaseAddress(with(parameter, value, jdbcUrl), origin);
  }

  private static String withTls(String url, Map<String, String> env) {
    String secured = url;
    for (Map.Entry<String, String> variable : TLS.entrySet()) {
      String value = env.get(variable.getKey());
      secured = with(variable.getValue(), value == null || value.isEmpty() ? null : value, secured);
    }
    return secured;
  }

  private static String withPassword(String url, @Nullable String password) {
    return with("password", password, url);
  }

  private static String with(String parameter, @Nullable String value, String url) {
    int query = url.indexOf('?');
    boolean hasOne = query >= 0 && url.substring(query).matches("(?s).*[?&]" + parameter + "=.*");
    return value == null || hasOne
        ? url
        : url + (query < 0 ? "?" : "&") + parameter + "=" + encode(value);
  }

  private static String fromEnvironment(Map<String, String> env) {
    String host = env.getOrDefault("PGHOST", "localhost");
    if (host.startsWith("/") || host.contains(",")) {
      throw new IllegalArgumentException(
          "PGHOST is '%s', but Java reaches one host over TCP only. Set it to a host name, or use --url."
              .formatted(host));
    }
    String user = env.getOrDefault("PGUSER", System.getProperty("user.name"));
    StringBuilder url =
        new StringBuilder("jdbc:postgresql://")
            .append(host.contains(":") ? "[" + host + "]" : host)
            .append(':')
            .append(port(env.getOrDefault("PGPORT", "5432")))
            .append('/')
            .append(encode(env.getOrDefault("PGDATABASE", user)))
            .append("?user=")
            .append(encode(user));
    if (env.containsKey(PASSWORD)) {
      url.append("&password=").append(encode(env.get(PASSWORD)));
    }
    return withTls(url.toString(), env);
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // The message below covers this case too.
    }
    throw new IllegalArgumentException(
        "PGPORT is '%s', but must be a number from 1 to 65535.".formatted(text));
  }

  private static String encode(@Nullable String text) {
    return URLEncoder.encode(text == null ? "" : text, StandardCharsets.UTF_8);
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return "the database that " + origin + " names";
  }
}
