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

  /** The kind of work that a command does in the database, which determines how long it waits. */
  enum Access {
    /** It only reads. */
    READ,
    /** It changes rows in short transactions. */
    WRITE,
    /** It changes the schema, which may take long. */
    MIGRATE
  }

  private final Access access;

  @Spec private CommandSpec spec;

  @Mixin private DatabaseOptions database;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields before the command runs
  DatabaseAction(Access access) {
    this.access = access;
  }

  @Override
  public final Integer call() throws Exception {
    Output output = database.output(spec);
    check();
    if (!connects()) {
      return runWithoutDatabase(database.schema(), output);
    }
    DatabaseOptions.Place place = database.place();
    try (KeptConnection connections = new KeptConnection(place.address(), access())) {
      return run(connections, place.schema(), output);
    }
  }

  /** Returns what the command, with its options, does in the database. */
  Access access() {
    return access;
  }

  /** Returns whether the command, with its options, needs a database. */
  boolean connects() {
    return true;
  }

  /**
   * Does the work of a command that does not {@linkplain #connects() connect}, and returns the exit
   * code.
   */
  int runWithoutDatabase(String schema, Output output) {
    throw new UnsupportedOperationException("This command needs a database.");
  }

  /** Checks the options before the command connects. */
  void check() {}

  /** Does the work and returns the exit code. The data source has not connected yet. */
  abstract int run(KeptConnection connections, String schema, Output output) throws Exception;
}
