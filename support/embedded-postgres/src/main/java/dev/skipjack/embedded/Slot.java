package dev.skipjack.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The exclusive right to use one of the numbered folders of a family, until the slot is closed or
 * the JVM exits. If the JVM is killed, the operating system releases the lock.
 */
final class Slot implements AutoCloseable {

  static final int MAX_SLOTS = 64;

  /*
   * The locks of this JVM. A lock belongs to the process, and closing any channel of the file
   * releases it. A file that this JVM has locked must therefore not be opened again.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private static final Queue<FileChannel> KEPT_OPEN = new ConcurrentLinkedQueue<>();

  private final Path folder;
  private final Path lockFile;
  private final FileChannel channel;

  private Slot(Path folder, Path lockFile, FileChannel channel) {
    this.folder = folder;
    this.lockFile = lockFile;
    this.channel = channel;
  }

  /** Acquires the free slot with the lowest number. */
  static Slot lowestFree(Path family) {
    for (int number = 0; number < MAX_SLOTS; number++) {
      Optional<Slot> slot = tryTake(family, number);
      if (slot.isPresent()) {
        return slot.get();
      }
    }
    throw new EmbeddedPostgresException(
        "All %d folders below %s are in use. Stop some of the programs that use them."
            .formatted(MAX_SLOTS, family));
  }

  /** Acquires the slot with the given number, or returns empty if this or another JVM holds it. */
  static Optional<Slot> tryTake(Path family, int number) {
    Path lockFile = family.resolve(number + ".lock");
    if (!HELD.add(lockFile)) {
      return Optional.empty();
    }
    boolean taken = false;
    try {
      FileChannel channel =
          FileChannel.open(
              lockFile,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      try {
        taken = channel.tryLock() != null;
      } catch (OverlappingFileLockException e) {
        // The same class, loaded by another class loader, holds the lock. Closing this channel
        // would release it.
        KEPT_OPEN.add(channel);
        return Optional.empty();
      }
      if (!taken) {
        channel.close();
        return Optional.empty();
      }
      return Optional.of(new Slot(family.resolve(String.valueOf(number)), lockFile, channel));
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not lock %s: %s.".formatted(lockFile, e), e);
    } finally {
      if (!taken) {
        HELD.remove(lockFile);
      }
    }
  }

  /** Returns the folder of the slot, which may not exist yet. */
  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not unlock %s: %s.".formatted(lockFile, e), e);
    } finally {
      HELD.remove(lockFile);
    }
  }
}
