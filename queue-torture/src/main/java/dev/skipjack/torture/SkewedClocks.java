package dev.skipjack.torture;

import dev.skipjack.faults.ForkedJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Workers whose wall clocks are an hour off, by libfaketime. Immutable. */
final class SkewedClocks {

  /** The system property that names the library's folder if it is none of the usual ones. */
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

  /** Empty where libfaketime is not installed. */
  static Optional<SkewedClocks> find() {
    return Stream.concat(Stream.ofNullable(System.getProperty(FOLDER_PROPERTY)), FOLDERS.stream())
        .map(folder -> Path.of(folder, LIBRARY))
        .filter(Files::isReadable)
        .findFirst()
        .map(SkewedClocks::new);
  }

  /** How many hours a process' clock is ahead; 0 for most. */
  static int hours(String process) {
    return HOURS.getOrDefault(process, 0);
  }

  /** Sets the clock of a process that is to be started. */
  void skew(ForkedJvm.Builder process, String name) {
    if (hours(name) != 0) {
      process
          .environment("LD_PRELOAD", library.toString())
          .environment("FAKETIME", "%+dh".formatted(hours(name)))
          .environment("DONT_FAKE_MONOTONIC", "1"); // or waits never end
    }
  }
}
