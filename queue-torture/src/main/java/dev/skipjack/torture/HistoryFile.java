package dev.skipjack.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one process did and was told, a line for each event, oldest first.
 *
 * <p>Each line is one write to the file, so that what was written survives a kill of the process;
 * at most the last line is torn. Not forced to the disk: the machine itself is not killed. Safe for
 * any number of threads.
 */
final class HistoryFile implements AutoCloseable {

  private static final String SUFFIX = ".history";

  private final String process;
  private final HistoryClock clock;
  private final FileChannel file;

  private HistoryFile(String process, HistoryClock clock, FileChannel file) {
    this.process = process;
    this.clock = clock;
    this.file = file;
  }

  /** As {@link #open(Path, String, HistoryClock)}, with times of the wall clock. */
  static HistoryFile open(Path folder, String process) {
    return open(folder, process, HistoryClock.ofWall());
  }

  /** Opens the history of a process in a folder; one that is there goes on. */
  static HistoryFile open(Path folder, String process, HistoryClock clock) {
    Path path = folder.resolve(process + SUFFIX);
    try {
      HistoryFile history =
          new HistoryFile(
              process,
              clock,
              FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
      if (history.file.size() > 0) {
        history.append("\n"); // ends the line that a kill may have torn
      }
      return history;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  void write(EventType type, String key, long job, long execution, String detail) {
    write(process, type, key, job, execution, detail);
  }

  /** Writes about another process. */
  void write(String about, EventType type, String key, long job, long execution, String detail) {
    append(new Event(clock.micros(), about, type, key, job, execution, detail).line() + "\n");
  }

  private synchronized void append(String text) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** All events of a folder, in no order; lines that a kill has torn are left out. */
  static List<Event> readAll(Path folder) {
    List<Event> events = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(SUFFIX)).toList()) {
        read(file, events);
      }
      return events;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The events of one process; none if it has no history yet. */
  static List<Event> read(Path folder, String process) {
    List<Event> events = new ArrayList<>();
    Path path = folder.resolve(process + SUFFIX);
    try {
      if (Files.exists(path)) {
        read(path, events);
      }
      return events;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void read(Path path, List<Event> events) throws IOException {
    for (String line : Files.readAllLines(path)) {
      // A torn line lacks fields; the one after it begins on its own.
      if (line.chars().filter(c -> c == '\t').count() == 6) {
        events.add(Event.parse(line));
      }
    }
  }

  @Override
  public synchronized void close() {
    try {
      file.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
