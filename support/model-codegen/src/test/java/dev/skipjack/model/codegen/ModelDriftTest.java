package dev.skipjack.model.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the checked-in model matches the migrations. */
class ModelDriftTest {

  private static final Path CHECKED_IN = Path.of("../../queue-model/src/generated/java");

  @Test
  void checkedInModelMatchesTheMigrations(@TempDir Path fresh) throws Exception {
    GenerateModel.into(fresh);

    assertThat(sources(CHECKED_IN))
        .as("Run: ./mvnw -Pcodegen -Dquick -pl support/model-codegen -am package")
        .isEqualTo(sources(fresh));
  }

  private static Map<String, String> sources(Path folder) throws IOException {
    Map<String, String> sources = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> sources.put(folder.relativize(file).toString(), read(file)));
    }
    assertThat(sources).isNotEmpty();
    return sources;
  }

  /** On a JDK that has the warning {@code this-escape}, the generator suppresses it as well. */
  private static String read(Path file) {
    try {
      return Files.readString(file).replace(", \"this-escape\"", "");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
