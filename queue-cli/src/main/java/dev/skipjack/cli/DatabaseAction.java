package dev.skipjack.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that connects to a database. Subclasses add its options and do its work. */
@Command(
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    sortOptions = false,
    footer = ExitCodes.FOOTER)
abstract class DatabaseAction implements Callable<Integer> {

  /** Whether a command changes the database. */
  enum Access {
    READ,
    WRITE
  }

  private final Access access;

  @Spec private CommandSpec spec;

  @Mixin private DatabaseOptions database;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields before anything runs
  DatabaseAction(Access access) {
    this.access = access;
  }

  @Override
  public final Integer call() throws Exception {
    Output output = database.output(spec);
    check();
    DatabaseOptions.Place place = database.place();
    try (KeptConnection connections = new KeptConnection(place.address(), access == Access.READ)) {
      return run(connections, place.schema(), output);
    }
  }

  /** Checks the options before the command connects. */
  void check() {}

  /** Does the work and returns the exit code. The data source has not connected yet. */
  abstract int run(KeptConnection connections, String schema, Output output) throws Exception;
}
