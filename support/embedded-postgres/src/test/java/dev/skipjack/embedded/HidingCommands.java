package dev.skipjack.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the programs of this machine, but hides some of them. */
record HidingCommands(Set<String> hidden) implements Commands {

  private static final Commands MACHINE = new SystemCommands();

  static HidingCommands without(String... programs) {
    return new HidingCommands(Set.of(programs));
  }

  @Override
  public @Nullable Path find(String program) {
    return hidden.contains(program) ? null : MACHINE.find(program);
  }

  @Override
  public Result run(List<String> command, String input, Duration limit) {
    return MACHINE.run(command, input, limit);
  }
}
