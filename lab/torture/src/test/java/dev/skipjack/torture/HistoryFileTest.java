package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {

  @Test
  void eventsAreReadAsWrittenAndLineBreaksInDetailsBecomeSpaces(@TempDir Path folder) {
    try (HistoryFile history = HistoryFile.open(folder, "p")) {
      history.write(EventType.UNKNOWN, "k", 1, 2, "two\nlines\tand a tab");
    }
    assertThat(HistoryFile.readAll(folder))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.process()).isEqualTo("p");
              assertThat(event.key()).isEqualTo("k");
              assertThat(event.job()).isEqualTo(1);
              assertThat(event.execution()).isEqualTo(2);
              assertThat(event.detail()).isEqualTo("two lines and a tab");
            });
  }

  @Test
  void aTruncatedLineDoesNotAffectOthers(@TempDir Path folder) throws Exception {
    try (HistoryFile history = HistoryFile.open(folder, "p")) {
      history.write(EventType.REQUESTED, "a", 0, 0, "");
    }
    Files.writeString(folder.resolve("p.history"), "123\tp\tASK", StandardOpenOption.APPEND);
    try (HistoryFile history = HistoryFile.open(folder, "p")) {
      history.write(EventType.REQUESTED, "b", 0, 0, "");
    }
    assertThat(HistoryFile.read(folder, "p")).extracting(Event::key).containsExactly("a", "b");
    assertThat(HistoryFile.read(folder, "another")).isEmpty();
  }

  @Test
  void aTruncatedCharacterDoesNotAffectOtherLines(@TempDir Path folder) throws Exception {
    Files.write(folder.resolve("p.history"), new byte[] {'1', '\t', (byte) 0xC3});
    try (HistoryFile history = HistoryFile.open(folder, "p")) {
      history.write(EventType.REQUESTED, "b", 0, 0, "é");
    }
    assertThat(HistoryFile.read(folder, "p")).extracting(Event::detail).containsExactly("é");
  }
}
