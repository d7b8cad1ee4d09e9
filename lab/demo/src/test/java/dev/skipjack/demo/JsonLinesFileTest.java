package dev.skipjack.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonLinesFileTest {

  private Path folder;

  @BeforeEach
  void folder(@TempDir Path folder) {
    this.folder = folder;
  }

  static String line(String event) {
    return "{\"delivery\":\"%s\",\"event\":\"%s\",\"action\":null,\"repository\":null,\"payload\":{}}"
        .formatted(UUID.randomUUID(), event);
  }

  @Test
  void readsLinesWithTheirNumbersAndSkipsBlankOnes() throws IOException {
    List<Arrival> all = read(line("a") + "\r\n\n  \n" + line("größer") + "\n" + line("c"));
    assertThat(all)
        .extracting(arrival -> arrival.delivery().event())
        .containsExactly("a", "größer", "c");
    assertThat(all).extracting(Arrival::line).containsExactly(1L, 4L, 5L);
  }

  @Test
  void linesLongerThanTheBufferAreWhole() throws IOException {
    String event = "x".repeat(255);
    String padded = line(event).replace("{}", "{\"body\":\"" + "é".repeat(100_000) + "\"}");
    List<Arrival> all = read((padded + "\n").repeat(3));
    assertThat(all).hasSize(3);
    assertThat(all.get(2).delivery().payload().get("body").textValue()).hasSize(100_000);
  }

  @Test
  void aLineLongerThanAMebibyteIsRefused() throws IOException {
    String padding = " ".repeat(1024 * 1024 - line("a").length());
    Path file =
        Files.writeString(
            folder.resolve("long.jsonl"),
            line("a") + padding + "\n" + line("b") + padding + " \n" + line("c"));
    try (JsonLinesFile source = JsonLinesFile.open(file)) {
      assertThat(source.next()).isPresent();
      assertThatThrownBy(source::next)
          .isInstanceOf(BadInputException.class)
          .hasMessage(file + ":2: line of more than 1,048,576 bytes");
    }
  }

  @Test
  void aByteOrderMarkIsSkipped() throws IOException {
    assertThat(read("\uFEFF" + line("a") + "\n" + line("b"))).hasSize(2);
    assertThatThrownBy(() -> read(line("a") + "\n\uFEFF" + line("b")))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(":2: not JSON");
  }

  @Test
  void aDeliveryThatCannotBeStoredIsRefusedWhileItIsRead() {
    for (String payload :
        new String[] {
          "{\"body\":\"" + "x".repeat(300_000) + "\"}",
          "{\"body\":\"\\u0000\"}",
          "{\"body\":\"\\ud800\"}",
          "{\"a\":" + "[".repeat(200) + "]".repeat(200) + "}",
          "{\"a\":[{\"n\":1e131072}]}",
          "{\"a\":[{\"n\":-1e-16384}]}"
        }) {
      assertThatThrownBy(() -> read(line("a") + "\n" + line("b").replace("{}", payload)))
          .as(payload)
          .isInstanceOf(BadInputException.class)
          .hasMessageStartingWith(folder.resolve("in.jsonl") + ":2: ");
    }
  }

  @Test
  void badInputNamesFileAndLine() throws IOException {
    assertThatThrownBy(() -> read(line("a") + "\n" + line("b") + "\nnonsense\n" + line("d")))
        .isInstanceOf(BadInputException.class)
        .hasMessageStartingWith(folder.resolve("in.jsonl") + ":3: not JSON: ");
  }

  @Test
  void bytesThatAreNotUtf8AreOnTheirLine() throws IOException {
    Path file = folder.resolve("latin1.jsonl");
    Files.write(file, (line("a") + "\n" + line("grö\u00dfer") + "\n").getBytes(ISO_8859_1));
    try (JsonLinesFile source = JsonLinesFile.open(file)) {
      assertThat(source.next()).isPresent();
      assertThatThrownBy(source::next)
          .isInstanceOf(BadInputException.class)
          .hasMessage(file + ":2: not UTF-8");
    }
  }

  @Test
  void aMissingFileIsNamed() {
    Path missing = folder.resolve("missing.jsonl");
    assertThatThrownBy(() -> JsonLinesFile.open(missing))
        .isInstanceOf(BadInputException.class)
        .hasMessage(missing + ": no such file");
  }

  private List<Arrival> read(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("in.jsonl"), text);
    List<Arrival> all = new ArrayList<>();
    try (JsonLinesFile source = JsonLinesFile.open(file)) {
      for (Optional<Arrival> next = source.next(); next.isPresent(); next = source.next()) {
        all.add(next.get());
      }
    }
    return all;
  }
}
