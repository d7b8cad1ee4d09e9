package dev.skipjack.testkit;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that runs already. */
final class UrlSource implements PostgresSource {

  private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/?]+/)([^/?]+)(\\?.*)?");

  private final String server;
  private final String database;
  private final String parameters;
  private final boolean oursAlone;

  /**
   * @param url of a database in which the role may create others
   * @param oursAlone whether no other JVM uses the server
   * @throws IllegalArgumentException if it does not look like {@code
   *     jdbc:postgresql://host:port/database?parameters}
   */
  UrlSource(String url, boolean oursAlone) {
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      // Not repeated in the message: it may hold a password.
      throw new IllegalArgumentException(
          "The URL of the test server is not of the form jdbc:postgresql://host:port/database?user=...; set -D%s or %s to one that is."
              .formatted(PostgresSources.URL_PROPERTY, PostgresSources.URL_VARIABLE));
    }
    server = String.valueOf(matcher.group(1));
    database = URLDecoder.decode(String.valueOf(matcher.group(2)), StandardCharsets.UTF_8);
    String rest = matcher.group(3);
    parameters = rest == null ? "" : rest;
    this.oursAlone = oursAlone;
  }

  @Override
  public String adviceFor(int major) {
    return "Give the URL of one that is. (%s; the URL by -D%s or %s.)"
        .formatted(PostgresMajor.HOW, PostgresSources.URL_PROPERTY, PostgresSources.URL_VARIABLE);
  }

  @Override
  public Server start() {
    return new Server() {
      @Override
      public String jdbcUrl(String name) {
        return server + URLEncoder.encode(name, StandardCharsets.UTF_8) + parameters;
      }

      @Override
      public String adminDatabase() {
        return database;
      }

      @Override
      public boolean isOursAlone() {
        return oursAlone;
      }

      @Override
      public void stop() {
        // Somebody else's.
      }
    };
  }
}
