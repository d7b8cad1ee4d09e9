package dev.skipjack.cli;

import dev.skipjack.api.spi.SchemaName;
import dev.skipjack.store.jooq.JobQueue;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * The options of all commands that work on a queue: the location of the queue and the output
 * format.
 */
final class DatabaseOptions {

  private final Environment environment;

  @Option(
      names = "--url",
      order = 1,
      paramLabel = "JDBC_URL",
      description =
          "Database to use, with the password in PGPASSWORD. Default: PGHOST and PGDATABASE, then the profile 'default'.")
  private @Nullable String url;

  @Option(
      names = "--profile",
      order = 2,
      paramLabel = "NAME",
      description = "Profile of ~/.config/skipjack/config to use.")
  private @Nullable String profile;

  @Option(
      names = "--schema",
      order = 3,
      paramLabel = "NAME",
      description = "Schema of the queue. Default: skipjack.")
  private @Nullable String schema;

  @Option(names = "--json", order = 4, description = "Print one line of JSON.")
  private boolean json;

  DatabaseOptions(Environment environment) {
    this.environment = environment;
  }

  Output output(CommandSpec command) {
    boolean plain = !environment.variables().getOrDefault("NO_COLOR", "").isEmpty();
    return new Output(
        command.commandLine().getOut(),
        command.commandLine().getErr(),
        json,
        environment.terminal() && !plain ? Style.COLOURED : Style.PLAIN,
        environment.terminal());
  }

  /**
   * Returns the location of the queue.
   *
   * @throws CommandFailure if no database is named, or the profile cannot be used
   * @throws IllegalArgumentException if the address cannot be used
   */
  Place place() {
    if (url != null && profile != null) {
      throw CommandFailure.input("--url and --profile both name a database. Use one of them.");
    }
    if (profile != null) {
      String named = profile;
      return place(profile(named).orElseThrow(() -> unknown(named)));
    }
    Optional<DatabaseAddress> named = DatabaseAddress.of(url, environment.variables());
    if (named.isPresent()) {
      return new Place(named.get(), schema(null));
    }
    return place(
        profile(Profile.DEFAULT)
            .orElseThrow(
                () ->
                    CommandFailure.input(
                        "No database is named. Use --url, set PGHOST or PGDATABASE, or write the profile [default] to %s."
                            .formatted(file()))));
  }

  /**
   * Returns the schema of the queue for a command that does not connect: that of the option, or of
   * the profile that the other commands would use.
   *
   * @throws CommandFailure if the profile cannot be used
   */
  String schema() {
    boolean elsewhere =
        profile == null && DatabaseAddress.of(url, environment.variables()).isPresent();
    if (schema != null || elsewhere) {
      return schema(null);
    }
    Optional<Profile> found = profile(profile == null ? Profile.DEFAULT : profile);
    if (found.isEmpty() && profile != null) {
      throw unknown(profile);
    }
    return schema(found.isEmpty() ? null : found.get().schema());
  }

  private CommandFailure unknown(String name) {
    return CommandFailure.input("Profile '%s' is not in %s.".formatted(name, file()));
  }

  private Place place(Profile found) {
    return new Place(
        DatabaseAddress.ofProfile(found, environment.variables()), schema(found.schema()));
  }

  private Optional<Profile> profile(String name) {
    return Profile.read(file(), name);
  }

  private Path file() {
    return environment.configuration().resolve("config");
  }

  private String schema(@Nullable String ofProfile) {
    String chosen = schema == null ? ofProfile : schema;
    return SchemaName.require(chosen == null ? JobQueue.DEFAULT_SCHEMA : chosen);
  }

  record Place(DatabaseAddress address, String schema) {}
}
