package dev.skipjack.release;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Prepares folders from which a build of the sample gets its artifacts. */
final class Repository {

  private Repository() {}

  static void unpack(Path zip, Path folder) throws IOException {
    try (InputStream in = Files.newInputStream(zip);
        ZipInputStream bundle = new ZipInputStream(in)) {
      for (ZipEntry entry = bundle.getNextEntry(); entry != null; entry = bundle.getNextEntry()) {
        Path file = folder.resolve(entry.getName()).normalize();
        if (!file.startsWith(folder)) {
          throw new IOException(entry.getName() + " leaves the folder of the bundle.");
        }
        Files.createDirectories(file.getParent());
        Files.copy(bundle, file);
      }
    }
  }

  /**
   * Adds links to everything in a local repository except Skipjack, which may be installed in it.
   */
  static void linkOthers(Path local, Path folder) throws IOException {
    link(local, folder, "dev");
    Path dev = local.resolve("dev");
    if (Files.isDirectory(dev)) {
      link(dev, Files.createDirectory(folder.resolve("dev")), "skipjack");
    }
  }

  private static void link(Path from, Path to, String butNot) throws IOException {
    for (Path entry : entries(from)) {
      Path name = entry.getFileName();
      if (name != null && !name.toString().equals(butNot)) {
        Files.createSymbolicLink(to.resolve(name), entry);
      }
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }
}
