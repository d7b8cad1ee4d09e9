package dev.skipjack.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Counts the requests that producers have finished, in their histories. Used by one thread. */
final class Progress {

  private final Path folder;
  private final long requests;
  private final Map<Path, Long> offsets = new HashMap<>();
  private long done;

  /**
   * @param folder the folder that contains the histories
   * @param requests the number of jobs to enqueue and of transactions that record events
   */
  Progress(Path folder, long requests) {
    this.folder = folder;
    this.requests = requests;
  }

  /** Returns which part of the requests is done, from 0 to 1; 1 if there are none. */
  double share() {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> producers =
          files.filter(path -> Fleet.isProducer(path.getFileName().toString())).toList();
      for (Path history : producers) {
        if (history.toString().endsWith(HistoryFile.SUFFIX)) {
          readOn(history);
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return requests == 0 ? 1 : Math.min(1, (double) done / requests);
  }

  boolean isEmpty() {
    return requests == 0;
  }

  private void readOn(Path history) throws IOException {
    long from = offsets.getOrDefault(history, 0L);
    try (RandomAccessFile file = new RandomAccessFile(history.toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(file.length() - from)];
      file.seek(from);
      file.readFully(bytes);
      int whole = bytes.length;
      while (whole > 0 && bytes[whole - 1] != '\n') {
        whole--;
      }
      done += new String(bytes, 0, whole, UTF_8).lines().filter(Progress::isDone).count();
      offsets.put(history, from + whole);
    }
  }

  private static boolean isDone(String line) {
    return line.contains("\t" + EventType.EVENT_RECORDED + "\t")
        || (line.contains("\t" + EventType.ACKNOWLEDGED + "\t")
            && line.endsWith("\t" + Producer.CREATED));
  }
}
