package dev.skipjack.migrations;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Database roles with least privilege for the users of a queue: producers, workers, operators and
 * viewers.
 *
 * <p>The methods return SQL, which the owner of the queue's tables should read and then run, for
 * example with {@code psql}. Run the script again after each migration. The roles cannot log in:
 * grant them to the users of your services.
 *
 * <p>Stateless and safe for any number of threads.
 */
public final class Roles {

  /** The default prefix of the roles' names. */
  public static final String DEFAULT_PREFIX = "skipjack";

  /** The names of the roles, without the prefix and the underscore after it. */
  private static final String[] NAMES = {
    "sql_producer", "producer", "worker", "operator", "viewer"
  };

  private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,39}");

  private Roles() {}

  /**
   * Calls {@link #sql(String, String)} with the default schema and prefix.
   *
   * @return the statements
   */
  public static String sql() {
    return sql(Migrations.DEFAULT_SCHEMA, DEFAULT_PREFIX);
  }

  /**
   * {@return the script that creates the roles {@code <prefix>_sql_producer}, {@code
   * <prefix>_producer}, {@code <prefix>_worker}, {@code <prefix>_operator} and {@code
   * <prefix>_viewer}, and grants them what they need in one schema}
   *
   * @param schema the schema, as passed to {@link Migrations#migrate(javax.sql.DataSource, String)}
   * @param prefix 1 to 40 characters of a-z, 0-9 and _, starting with a letter; roles belong to the
   *     whole server, so each queue on it should have its own prefix
   * @throws IllegalArgumentException if {@code schema} or {@code prefix} is not allowed
   */
  public static String sql(String schema, String prefix) {
    Migrations.requireIdentifier(schema);
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "Prefix '%s' of roles is not allowed. Use 1 to 40 of a-z, 0-9 and '_', beginning with a letter."
              .formatted(prefix.replace('\0', '\uFFFD')));
    }
    String roles =
        Arrays.stream(NAMES).map(name -> prefix + "_" + name).collect(Collectors.joining(", "));
    return template()
        .replace("{roles}", roles)
        .replace("{prefix}", prefix)
        .replace("{schema}", '"' + schema.replace("\"", "\"\"") + '"');
  }

  private static String template() {
    try (InputStream script = Roles.class.getResourceAsStream("roles.sql")) {
      if (script == null) {
        throw new IllegalStateException("The jar of skipjack-migrations lacks roles.sql.");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
