package dev.skipjack.cli;

import dev.skipjack.migrations.Migrations;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code skipjack version}. */
@Command(
    name = "version",
    description = "Print the versions of the program, of Java, and of the schema that it needs.",
    mixinStandardHelpOptions = true,
    footer = ExitCodes.FOOTER)
final class VersionCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print one line of JSON.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli injects the spec before the command runs
  VersionCommand() {}

  @Override
  public Integer call() {
    Output output =
        new Output(
            spec.commandLine().getOut(), spec.commandLine().getErr(), json, Style.PLAIN, false);
    Map<String, Object> versions = new LinkedHashMap<>();
    versions.put("skipjack", ProgramVersion.ofProgram());
    versions.put("java", Runtime.version());
    versions.put("schema", Migrations.SCHEMA_VERSION);
    if (json) {
      output.document(versions);
    } else {
      versions.forEach((what, version) -> output.line(what + " " + version));
    }
    return ExitCodes.DONE;
  }
}
