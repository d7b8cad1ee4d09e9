package dev.skipjack.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time of a server on this machine, from Linux' {@code /proc}: of its first process, of
 * those of its children that have ended, which the first process counts, and of those alive.
 */
final class ServerCpu {

  /** The unit of the times in {@code stat}: USER_HZ, which is 100 on every Linux there is. */
  private static final double MICROS_A_TICK = 10_000;

  private final Path proc;
  private final long postmaster;

  private ServerCpu(Path proc, long postmaster) {
    this.proc = proc;
    this.postmaster = postmaster;
  }

  /**
   * Finds the server by one of its backends.
   *
   * @param proc where the processes are told of
   * @param backend its process id, 0 or less if it is not known to be one of this machine
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

  /** So far, in microseconds; null where it cannot be read: another machine, another system. */
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
    return ticks * MICROS_A_TICK;
  }

  /**
   * A line of {@code /proc/<pid>/stat}, times in ticks.
   *
   * @param own user and system time of the process
   * @param endedChildren the same of its children that have ended
   */
  private record Stat(String program, long parent, long own, long endedChildren) {

    /** Empty when the process is gone, or not ours to look at. */
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
