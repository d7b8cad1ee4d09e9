package dev.skipjack.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the CPU time of a PostgreSQL server on this machine from Linux's {@code /proc}. It includes
 * the postmaster, its live children, and its ended children, whose time the kernel adds to the
 * postmaster's.
 */
final class ServerCpu {

  /** The unit of the times in {@code stat}: USER_HZ, which is 100 on all common platforms. */
  private static final double MICROS_PER_TICK = 10_000;

  private final Path proc;
  private final long postmaster;

  private ServerCpu(Path proc, long postmaster) {
    this.proc = proc;
    this.postmaster = postmaster;
  }

  /**
   * Finds the server that a backend belongs to.
   *
   * @param proc the {@code /proc} file system
   * @param backend process id of the backend; 0 if the backend may run on another machine
   */
  static ServerCpu ofBackend(Path proc, long backend) {
    long parent =
        backend <= 0
            ? 0
            : Stat.read(proc, backend)
                .filter(stat -> stat.program().equals("postgres"))
                .map(Stat::parent)
                .orElse(0L);
    return new ServerCpu(proc, parent);
  }

  /**
   * Returns the CPU time used so far, in microseconds; null if the server runs on another machine
   * or not on Linux.
   */
  @Nullable Double micros() {
    Optional<Stat> first =
        postmaster <= 0
            ? Optional.empty()
            : Stat.read(proc, postmaster).filter(stat -> stat.program().equals("postgres"));
    if (first.isEmpty()) {
      return null;
    }
    long ticks = first.get().own() + first.get().endedChildren();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        ticks +=
            Stat.read(proc, Long.parseLong(process.getFileName().toString()))
                .filter(stat -> stat.parent() == postmaster)
                .map(Stat::own)
                .orElse(0L);
      }
    } catch (IOException unreadable) {
      return null;
    }
    return ticks * MICROS_PER_TICK;
  }

  /**
   * The content of {@code /proc/<pid>/stat}. Times are in ticks.
   *
   * @param own user and system time of the process
   * @param endedChildren user and system time of its ended children
   */
  private record Stat(String program, long parent, long own, long endedChildren) {

    /** Reads the file of a process. Returns empty if the process has ended or access is denied. */
    static Optional<Stat> read(Path proc, long pid) {
      try {
        String line = Files.readString(proc.resolve(pid + "/stat"));
        int open = line.indexOf('(');
        int close = line.lastIndexOf(')');
        String[] fields = line.substring(close + 2).trim().split(" ", -1);
        return Optional.of(
            new Stat(
                line.substring(open + 1, close),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                Long.parseLong(fields[13]) + Long.parseLong(fields[14])));
      } catch (IOException | RuntimeException gone) {
        return Optional.empty();
      }
    }
  }
}
