package dev.skipjack.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Takes all connections of a process's pool for a while, like handlers that leak connections. The
 * request is sent through a file, because the standard input of a forked JVM is already in use.
 */
final class ExhaustedPool {

  private static final long POLL_MILLIS = 50;

  private ExhaustedPool() {}

  static void request(Path folder, String process, long millis) {
    try {
      Path written =
          Files.writeString(folder.resolve(process + ".exhaust.tmp"), String.valueOf(millis));
      // The file is moved into place, so that the process never reads half of it. A request that a
      // killed process has not read is replaced.
      Files.move(written, file(folder, process), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Path file(Path folder, String process) {
    return folder.resolve(process + ".exhaust");
  }

  static void watch(ProcessSettings settings, DataSource pool, int connections) {
    Path file = file(settings.folder(), settings.name());
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  Thread.sleep(POLL_MILLIS);
                  if (Files.exists(file)) {
                    long millis = Long.parseLong(Files.readString(file));
                    Files.delete(file);
                    hold(pool, connections, millis);
                  }
                }
              } catch (IOException failure) {
                throw new UncheckedIOException(failure);
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            },
            "exhausted-pool");
    thread.setDaemon(true);
    thread.start();
  }

  private static void hold(DataSource pool, int connections, long millis)
      throws InterruptedException {
    long until = System.nanoTime() + millis * 1_000_000;
    List<Connection> held = new ArrayList<>();
    while (System.nanoTime() < until) {
      try {
        if (held.size() < connections) {
          held.add(pool.getConnection());
          continue;
        }
      } catch (SQLException allTaken) {
        Thread.onSpinWait(); // the pool is exhausted, as requested
      }
      Thread.sleep(POLL_MILLIS);
    }
    for (Connection connection : held) {
      try {
        connection.close();
      } catch (SQLException broken) {
        Thread.onSpinWait(); // the pool discards it
      }
    }
  }
}
