package dev.skipjack.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Reads the version from the manifest of the jar that contains this class. */
final class ProgramVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Skipjack.class.getPackage().getImplementationVersion();
    return new String[] {
      "skipjack " + Objects.requireNonNullElse(version, "(not run from its jar)"),
      "Java " + Runtime.version()
    };
  }
}
