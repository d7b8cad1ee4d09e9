package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that no program runs from an archive whose hash is neither recorded nor configured. */
class KnownArchivesTest {

  private static final String OTHER = "0f".repeat(32);

  private final Unprivileged who = Unprivileged.choose(new SystemCommands(), null);
  private Path folder = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = TestFolder.make();
  }

  @AfterEach
  void removeFolder() throws IOException {
    TestFolder.remove(folder);
  }

  @Test
  void everyLineIsAHashAndAJar() throws IOException {
    assertThat(KnownArchives.read())
        .isNotEmpty()
        .allSatisfy(
            (hash, jar) -> {
              assertThat(hash).matches("[0-9a-f]{64}");
              assertThat(jar).matches("(linux-amd64|linux-arm64v8|darwin-arm64v8)-[0-9.]+");
            });
    assertThat(KnownArchives.read().values()).doesNotHaveDuplicates();
  }

  @Test
  void aReplacedArchiveIsRefusedBeforeItIsUnpacked(@TempDir Path jar) throws IOException {
    Path base = BaseFolder.open(who, folder, name -> null);
    try (URLClassLoader exchanged = exchanged(jar)) {
      assertThatThrownBy(() -> PostgresBinaries.under(base, who, exchanged))
          .isInstanceOf(EmbeddedPostgresException.class)
          .hasMessageContaining("SHA-256")
          .hasMessageContaining("linux-amd64-18.")
          .hasMessageContaining("-Dskipjack.embedded.sha256=");
    }
    try (var files = Files.walk(folder)) {
      assertThat(files.filter(Files::isRegularFile)).isEmpty();
    }
  }

  @Test
  void anArchiveWithAConfiguredHashIsAccepted() throws IOException {
    URL archive = folder.toUri().toURL();

    assertThatThrownBy(() -> KnownArchives.require(archive, OTHER, "0e".repeat(32)))
        .isInstanceOf(EmbeddedPostgresException.class);
    assertThatCode(() -> KnownArchives.require(archive, OTHER, "0e".repeat(32) + ", " + OTHER))
        .doesNotThrowAnyException();
  }

  /** Returns a class loader that finds an unknown archive under the expected name. */
  private static URLClassLoader exchanged(Path jar) throws IOException {
    List<String> names =
        PostgresBinaries.archiveNames(System.getProperty("os.name"), System.getProperty("os.arch"));
    try (OutputStream out = Files.newOutputStream(jar.resolve(names.get(0)))) {
      out.write("something else".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return new URLClassLoader(
        new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
  }
}
