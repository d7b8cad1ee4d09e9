package dev.skipjack.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigratedContentTest {

  private static final LocalDate DAY = LocalDate.of(2026, 1, 5);

  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  @TempDir
  private Path root;

  @Test
  void contentIsTheSameForTheSameMigrationsOnOneDay() {
    String content = MigratedContent.on(DAY).orElseThrow();

    assertThat(content).matches("[a-z0-9]{32}");
    assertThat(MigratedContent.on(DAY)).contains(content);
    assertThat(MigratedContent.on(DAY.plusDays(1))).isPresent().get().isNotEqualTo(content);
  }

  @Test
  void contentChangesWithTheTextAndTheNameOfAMigration() throws IOException {
    write("V001__one.sql", "SELECT 1");
    String content = folder().orElseThrow();

    write("V001__one.sql", "SELECT 2");
    assertThat(folder()).isPresent().get().isNotEqualTo(content);

    write("V001__one.sql", "SELECT 1");
    assertThat(folder()).contains(content);

    write("V002__two.sql", "");
    assertThat(folder()).isPresent().get().isNotEqualTo(content);
  }

  @Test
  void contentIsTheSameInAJarAsInAFolder() throws IOException {
    write("V001__one.sql", "SELECT 1");
    Path jar = root.resolve("migrations.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("db/skipjack/"));
      out.putNextEntry(new JarEntry("db/skipjack/V001__one.sql"));
      out.write("SELECT 1".getBytes(UTF_8));
      out.putNextEntry(new JarEntry("db/other.sql"));
    }

    assertThat(folder()).isPresent().isEqualTo(at(jar.toUri().toURL()));
  }

  @Test
  void contentIsUnknownWhereThereAreNoMigrations() throws IOException {
    assertThat(folder()).isEmpty();
  }

  private void write(String name, String sql) throws IOException {
    Path folder = Files.createDirectories(root.resolve("classes/db/skipjack"));
    Files.writeString(folder.resolve(name), sql);
  }

  private Optional<String> folder() throws IOException {
    return at(Files.createDirectories(root.resolve("classes")).toUri().toURL());
  }

  private static Optional<String> at(URL place) throws IOException {
    try (URLClassLoader loader = new URLClassLoader(new URL[] {place}, null)) {
      return MigratedContent.on(DAY, loader);
    }
  }
}
