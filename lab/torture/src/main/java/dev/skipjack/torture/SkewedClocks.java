package dev.skipjack.torture;

import dev.skipjack.faults.ForkedJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Skews the wall clocks of some workers by an hour, with libfaketime. Immutable. */
final class SkewedClocks {

  /**
   * The system property that sets the folder of libfaketime, if it is not one of the usual folders.
   */
  static final String FOLDER_PROPERTY = "skipjack.test.faketime";

  private static final String LIBRARY = "libfaketimeMT.so.1";

  private static final List<String> FOLDERS =
      List.of(
          "/usr/lib/x86_64-linux-gnu/faketime",
          "/usr/lib/aarch64-linux-gnu/faketime",
          "/usr/lib/faketime",
          "/usr/lib64/faketime");

  private static final Map<String, Integer> HOURS = Map.of("worker-2", -1, "worker-3", 1);

  private final Path library;

  private SkewedClocks(Path library) {
    this.library = library;
  }

  /** Returns an instance, or empty if libfaketime is not installed. */
  static Optional<SkewedClocks> find() {
    return Stream.concat(Stream.ofNullable(System.getProperty(FOLDER_PROPERTY)), FOLDERS.stream())
        .map(folder -> Path.of(folder, LIBRARY))
        .filter(Files::isReadable)
        .findFirst()
        .map(SkewedClocks::new);
  }

  /**
   * Returns the number of hours by which the clock of a process is ahead: negative if it is behind,
   * 0 if it is not skewed.
   */
  static int hours(String process) {
    return HOURS.getOrDefault(process, 0);
  }

  void skew(ForkedJvm.Builder process, String name) {
    if (hours(name) != 0) {
      process
          .environment("LD_PRELOAD", library.toString())
          .environment("FAKETIME", "%+dh".formatted(hours(name)))
          .environment("DONT_FAKE_MONOTONIC", "1"); // otherwise, waits in Java would never end
    }
  }
}
