package dev.skipjack.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * A folder for one test class, removed at the end. Unlike JUnit's temporary folders, the
 * unprivileged user can also access it.
 */
final class TestFolder {

  private TestFolder() {}

  static Path make() throws IOException {
    Path parent = Path.of("/var/tmp");
    Path folder =
        Files.createTempDirectory(
            Files.isWritable(parent) ? parent : Path.of(System.getProperty("java.io.tmpdir")),
            "skipjack-embedded-test-");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    return folder.toRealPath();
  }

  static void remove(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
