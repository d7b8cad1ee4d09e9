package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that every codec that applications can use passes the contract of codecs. */
class CodecContractsTest {

  private static final Path ROOT = Path.of("..");

  private static final Pattern CODEC =
      Pattern.compile("^public (final )?class \\w+ implements PayloadCodec\\b", Pattern.MULTILINE);

  private static final Pattern CONTRACT =
      Pattern.compile("^class \\w+ extends \\w+CodecContract\\b", Pattern.MULTILINE);

  @Test
  void everyPublicCodecHasTheContract() throws IOException {
    List<Path> codecs;
    try (Stream<Path> files = Files.find(ROOT, 20, (file, about) -> isMain(file))) {
      codecs = files.filter(file -> contains(file, CODEC)).toList();
    }

    assertThat(codecs)
        .extracting(codec -> codec.getFileName().toString())
        .contains("JacksonCodec.java", "Jackson3Codec.java");
    assertThat(codecs)
        .allSatisfy(
            codec -> {
              Path test =
                  Path.of(
                      codec
                          .toString()
                          .replace("/src/main/", "/src/test/")
                          .replace(".java", "Test.java"));
              assertThat(test).exists();
              assertThat(Files.readString(test)).containsPattern(CONTRACT);
            });
  }

  private static boolean isMain(Path file) {
    return file.toString().contains("/src/main/java/") && file.toString().endsWith("Codec.java");
  }

  private static boolean contains(Path file, Pattern pattern) {
    try {
      return pattern.matcher(Files.readString(file)).find();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
