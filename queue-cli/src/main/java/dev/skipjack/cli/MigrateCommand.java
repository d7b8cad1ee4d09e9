package dev.skipjack.cli;

import dev.skipjack.migrations.Migrations;
import dev.skipjack.migrations.PendingMigration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack migrate}. */
@Command(
    name = "migrate",
    description = {
      "Create the queue's tables, or bring them up to date.",
      "The user must own the schema or be allowed to create it. Use a direct connection, not a pooler in transaction mode."
    })
final class MigrateCommand extends DatabaseAction {

  @Option(
      names = "--print",
      description = "Print the SQL of the migrations that have not run, and run nothing.")
  private boolean print;

  @Option(
      names = "--check",
      description = "Compare the schema with this program. Exit code 1 if migrations are missing.")
  private boolean check;

  private static final Fields<PendingMigration> PENDING =
      Fields.<PendingMigration>none()
          .and("version", PendingMigration::version)
          .and("file", PendingMigration::file)
          .andApart("sql", PendingMigration::sql);

  MigrateCommand() {
    super(Access.MIGRATE);
  }

  @Override
  void check() {
    if (print && check) {
      throw CommandFailure.input("--print and --check exclude each other. Use one of them.");
    }
  }

  @Override
  int run(KeptConnection connections, String schema, Output output) {
    if (check) {
      return compare(connections, schema, output);
    }
    if (print) {
      return print(Migrations.pending(connections, schema), schema, output);
    }
    int executed = Migrations.migrate(connections, schema);
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("schema", schema);
    members.put("executed", executed);
    members.put("version", Migrations.SCHEMA_VERSION);
    output.done(
        executed == 0
            ? "Schema '%s' is up to date (version %d).".formatted(schema, Migrations.SCHEMA_VERSION)
            : "Ran %d migration%s in schema '%s', which now has version %d."
                .formatted(executed, executed == 1 ? "" : "s", schema, Migrations.SCHEMA_VERSION),
        members);
    return ExitCodes.DONE;
  }

  private static int compare(KeptConnection connections, String schema, Output output) {
    OptionalInt version = Migrations.version(connections, schema);
    int needed = Migrations.SCHEMA_VERSION;
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("schema", schema);
    members.put("version", version.isPresent() ? version.getAsInt() : null);
    members.put("needed", needed);
    if (version.isEmpty()) {
      output.done(
          "Schema '%s' has no queue. Create it with 'skipjack migrate'.".formatted(schema),
          members);
      return ExitCodes.BAD_NEWS;
    }
    int found = version.getAsInt();
    String state =
        found == needed
            ? "the version that this program needs."
            : found > needed
                ? "newer than the version %d of this program, which can use it.".formatted(needed)
                : "but this program needs %d. Run 'skipjack migrate'.".formatted(needed);
    output.done("Schema '%s' has version %d, %s".formatted(schema, found, state), members);
    return found < needed ? ExitCodes.BAD_NEWS : ExitCodes.DONE;
  }

  private static int print(List<PendingMigration> pending, String schema, Output output) {
    if (output.isJson()) {
      output.list("pending", PENDING, pending);
    } else if (pending.isEmpty()) {
      output.line("-- Schema '%s' is up to date.".formatted(schema));
    } else {
      String quoted = '"' + schema.replace("\"", "\"\"") + '"';
      output.line("CREATE SCHEMA IF NOT EXISTS %s;".formatted(quoted));
      output.line("SET search_path = %s;".formatted(quoted));
      for (PendingMigration migration : pending) {
        output.line("");
        output.line("-- " + migration.file());
        output.line(migration.sql());
      }
    }
    return ExitCodes.DONE;
  }
}
