package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the documents stay short enough to be read. */
class DocumentSizeTest {

  private static final Path ROOT = Path.of("..");

  @Test
  void allPagesTogetherHaveAtMost400000Bytes() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      for (Path page : files.filter(file -> file.toString().endsWith(".md")).toList()) {
        bytes += Files.size(page);
      }
    }
    assertThat(bytes)
        .as("bytes of docs/**/*.md: move facts to the page that owns them, and link")
        .isBetween(1L, 400_000L);
  }

  @Test
  void theReadmeHasAtMost12500BytesAndTheChangelog5000() throws IOException {
    assertThat(Files.size(ROOT.resolve("README.md"))).isBetween(1L, 12_500L);
    assertThat(Files.size(ROOT.resolve("CHANGELOG.md"))).isBetween(1L, 5_000L);
  }
}
