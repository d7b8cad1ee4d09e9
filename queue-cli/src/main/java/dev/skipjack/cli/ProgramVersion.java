package dev.skipjack.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Reads the version from the manifest of the jar that contains this class. */
final class ProgramVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return new String[] {"skipjack " + ofProgram(), "Java " + Runtime.version()};
  }

  static String ofProgram() {
    return Objects.requireNonNullElse(
        Skipjack.class.getPackage().getImplementationVersion(), "(not run from its jar)");
  }
}
