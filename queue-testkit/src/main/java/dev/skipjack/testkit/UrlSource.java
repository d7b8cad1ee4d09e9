package dev.skipjack.testkit;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A source for a server that is already running. */
final class UrlSource implements PostgresSource {

  private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/?]+/)([^/?]+)(\\?.*)?");

  /** A description of the settings that contain the URL. */
  private static final String HOW =
      "-D%s or %s".formatted(PostgresSources.URL_PROPERTY, PostgresSources.URL_VARIABLE);

  private final String server;
  private final String database;
  private final String parameters;
  private final boolean oursAlone;
  private final Runnable stop;

  /** Creates a source for a server that may be used by others and is never stopped. */
  UrlSource(String url) {
    this(url, false, () -> {});
  }

  /**
   * Creates a source.
   *
   * @param url the URL of a database; its role must be allowed to create others
   * @param oursAlone whether this JVM is the only one that uses the server
   * @param stop stops the server
   * @throws IllegalArgumentException if {@code url} does not have the form {@code
   *     jdbc:postgresql://host:port/database?parameters}
   */
  UrlSource(String url, boolean oursAlone, Runnable stop) {
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "The URL of the test server, '%s', is not of the form jdbc:postgresql://host:port/database?user=...; set %s to one that is."
              .formatted(withoutSecrets(url), HOW));
    }
    server = String.valueOf(matcher.group(1));
    database = URLDecoder.decode(String.valueOf(matcher.group(2)), StandardCharsets.UTF_8);
    String rest = matcher.group(3);
    parameters = rest == null ? "" : rest;
    this.oursAlone = oursAlone;
    this.stop = stop;
  }

  /**
   * Returns the URL without its parameters. If it contains an @, returns only its scheme, because
   * the position of the password is unknown.
   */
  private static String withoutSecrets(String url) {
    return url.contains("@")
        ? url.replaceFirst("(?s)^([a-z:]*//)?.*", "$1***")
        : url.replaceFirst("(?s)[?;&=\\s].*", "");
  }

  @Override
  public String name() {
    return "%s of %s".formatted(withoutSecrets(server + database), HOW);
  }

  @Override
  public String adviceFor(int major) {
    return "Give the URL of one that is. (%s; the URL by %s.)".formatted(PostgresMajor.HOW, HOW);
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
        stop.run();
      }
    };
  }
}
