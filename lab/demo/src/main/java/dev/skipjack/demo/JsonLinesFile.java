package dev.skipjack.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The deliveries of a file with one JSON object per line; blank lines are skipped. */
final class JsonLinesFile implements DeliverySource {

  private final Path file;
  private final Lines lines;

  private JsonLinesFile(Path file, Lines lines) {
    this.file = file;
    this.lines = lines;
  }

  /**
   * Opens the file.
   *
   * @throws BadInputException if the file cannot be read
   */
  static JsonLinesFile open(Path file) {
    if (Files.notExists(file)) {
      throw new BadInputException(file.toString(), "no such file");
    }
    if (Files.isDirectory(file)) {
      throw new BadInputException(file.toString(), "is a directory, not a file of JSON lines");
    }
    try {
      return new JsonLinesFile(file, new Lines(Files.newInputStream(file)));
    } catch (IOException e) {
      throw new BadInputException(file.toString(), "cannot be read: " + e.getMessage());
    }
  }

  @Override
  public Optional<Arrival> next() {
    try {
      for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
        if (!line.get().isBlank()) {
          return Optional.of(
              new Arrival(
                  StorableCheck.require(DeliveryParser.parse(line.get())),
                  file.toString(),
                  lines.number()));
        }
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new BadInputException(file.toString(), lines.number(), String.valueOf(e.getMessage()));
    } catch (CharacterCodingException e) {
      throw new BadInputException(file.toString(), lines.number(), "not UTF-8");
    } catch (IOException e) {
      throw new BadInputException(file.toString(), lines.number(), String.valueOf(e.getMessage()));
    }
  }

  @Override
  public boolean isRepeatable() {
    return Files.isRegularFile(file);
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
