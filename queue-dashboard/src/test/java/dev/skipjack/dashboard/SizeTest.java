package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** What users download: the jar with the application, and the first page with the browser. */
class SizeTest {

  private static final int LARGEST_JAR = 400_000;
  private static final int LARGEST_PAGE = 70_000;

  private static final Path CLASSES = Path.of("target/classes");

  @Test
  void theJarHasAtMost400Kb() throws IOException {
    ByteArrayOutputStream jar = new ByteArrayOutputStream();
    try (Stream<Path> files = Files.walk(CLASSES);
        ZipOutputStream zip = new ZipOutputStream(jar)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(new ZipEntry(CLASSES.relativize(file).toString()));
        Files.copy(file, zip);
      }
    }

    assertThat(jar.size()).isBetween(LARGEST_JAR / 4, LARGEST_JAR);
  }

  /** Half of the limit, because the queue table of {@code PagesTest} has two rows instead of 20. */
  @Test
  void theFirstPageHasAtMost70KbCompressed() throws IOException {
    int sum = 0;
    for (Path file :
        List.of(
            Path.of("src/test/resources/pages/now.html"),
            CLASSES.resolve("dev/skipjack/dashboard/dashboard.css"),
            CLASSES.resolve("dev/skipjack/dashboard/dashboard.js"),
            CLASSES.resolve("dev/skipjack/dashboard/icon.svg"))) {
      ByteArrayOutputStream compressed = new ByteArrayOutputStream();
      try (OutputStream gzip = new GZIPOutputStream(compressed)) {
        Files.copy(file, gzip);
      }
      sum += compressed.size();
    }

    assertThat(sum).isBetween(LARGEST_PAGE / 20, LARGEST_PAGE / 2);
  }
}
