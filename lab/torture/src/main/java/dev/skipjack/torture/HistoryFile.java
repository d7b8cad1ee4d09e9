package dev.skipjack.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The history of a process: its actions and their results, one line per event, oldest first.
 *
 * <p>Each line is one write to the file, so a kill of the process truncates at most the last line.
 * Nothing is forced to disk, because the machine itself does not crash. Safe for any number of
 * threads.
 */
final class HistoryFile implements AutoCloseable {

  static final String SUFFIX = ".history";

  private final String process;
  private final HistoryClock clock;
  private final FileOutputStream file;

  private HistoryFile(String process, HistoryClock clock, FileOutputStream file) {
    this.process = process;
    this.clock = clock;
    this.file = file;
  }

  /**
   * Opens a history as {@link #open(Path, String, HistoryClock)} does, with times of the wall
   * clock.
   */
  static HistoryFile open(Path folder, String process) {
    return open(folder, process, HistoryClock.ofWall());
  }

  /** Opens the history of a process in a folder, or continues an existing one. */
  static HistoryFile open(Path folder, String process, HistoryClock clock) {
    Path path = folder.resolve(process + SUFFIX);
    try {
      HistoryFile history =
          new HistoryFile(
              process,
              clock,
              // An interrupt of a handler would close a channel.
              new FileOutputStream(path.toFile(), true));
      if (Files.size(path) > 0) {
        history.append("\n"); // ends a line that a kill may have truncated
      }
      return history;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  void write(EventType type, String key, long job, long execution, String detail) {
    write(process, type, key, job, execution, detail);
  }

  /** Writes an event of another process. */
  void write(String about, EventType type, String key, long job, long execution, String detail) {
    append(new Event(clock.micros(), about, type, key, job, execution, detail).line() + "\n");
  }

  private synchronized void append(String text) {
    try {
      file.write(text.getBytes(UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Returns all events of a folder, in no particular order, without truncated lines. */
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

  /** Returns the events of one process, or an empty list if it has no history yet. */
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
    // This reader replaces a character that a kill has truncated.
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(Files.newInputStream(path), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // A truncated line lacks fields.
        if (line.chars().filter(c -> c == '\t').count() == 6) {
          events.add(Event.parse(line));
        }
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
