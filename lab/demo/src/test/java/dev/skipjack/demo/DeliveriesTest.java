package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveriesTest {

  private final Path folder;

  DeliveriesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void generatedDeliveriesDiffer() {
    List<Delivery> generated = all(Deliveries.generated(500));
    assertThat(generated).hasSize(500);
    assertThat(generated).extracting(Delivery::delivery).doesNotHaveDuplicates();
    assertThat(generated).extracting(Delivery::event).contains("push", "issues");
    assertThat(generated).anyMatch(delivery -> delivery.repository() == null);
    assertThat(generated).anyMatch(delivery -> delivery.priority() > 0);
  }

  @Test
  void everyFateOccursAmongTwoHundredDeliveries() {
    List<Fate> fates = new ArrayList<>();
    for (long number = 1; number <= 200; number++) {
      fates.add(Fate.of(number));
    }
    assertThat(fates).contains(Fate.values());
    assertThat(Fate.FAILS_ONCE.fails(1)).isTrue();
    assertThat(Fate.FAILS_ONCE.fails(2)).isFalse();
    assertThat(Fate.POISONED.givesUp(2)).isFalse();
    assertThat(Fate.POISONED.givesUp(3)).isTrue();
  }

  @Test
  void aFileIsReadAsItIsOrRepeatedWithNewIds() throws Exception {
    Path file = file(line("a") + "\n\n" + line("b") + "\n");
    assertThat(all(Deliveries.of(file, OptionalLong.empty())))
        .extracting(Delivery::event)
        .containsExactly("a", "b");
    List<Delivery> repeated = all(Deliveries.of(file, OptionalLong.of(5)));
    assertThat(repeated).extracting(Delivery::event).containsExactly("a", "b", "a", "b", "a");
    assertThat(repeated).extracting(Delivery::delivery).doesNotHaveDuplicates();
    assertThat(all(Deliveries.of(file, OptionalLong.of(1)))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"delivery\":                                                              | end-of-input",
        "[]                                                                          | Delivery",
        "{\"delivery\": \"x\", \"event\": \"e\", \"payload\": {}}                    | UUID",
        "{\"event\": \"e\", \"payload\": {}}                                         | delivery",
        "{\"delivery\": \"00000000-0000-0000-0000-000000000001\", \"event\": \"e\"}  | payload",
        "{\"delivery\": \"00000000-0000-0000-0000-000000000001\", \"event\": \"e\", \"payload\": 1} | not a delivery",
        "{\"delivery\": \"00000000-0000-0000-0000-000000000001\", \"event\": \"e\", \"payload\": {}, \"x\": 1} | \"x\"",
        "{\"event\": \"e\", \"event\": \"e\"}                                        | Duplicate",
      })
  void anInvalidLineIsRefusedWithItsNumber(String line, String reason) throws Exception {
    Path file = file(line("a") + "\n" + line + "\n");
    assertThatThrownBy(() -> Deliveries.of(file, OptionalLong.empty()))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith(file + ":2: not a delivery: ")
        .hasMessageContaining(reason);
  }

  @Test
  void aFileWithoutDeliveriesIsRefused() throws Exception {
    Path empty = file("\n\n");
    assertThatThrownBy(() -> Deliveries.of(empty, OptionalLong.of(5)))
        .isInstanceOf(RefusedException.class)
        .hasMessage(empty + ": holds no delivery");
  }

  @Test
  void numbersKeepTheirDigits() {
    String exact = "0.1000000000000000000000000000000001";
    assertThat(Delivery.parse(line("a").replace("{}", "{\"n\": " + exact + "}")).payload())
        .hasToString("{\"n\":" + exact + "}");
  }

  private Path file(String content) throws Exception {
    return Files.writeString(folder.resolve("in.jsonl"), content);
  }

  /** Returns a line of the input with a new id and an empty payload. */
  static String line(String event) {
    return "{\"delivery\": \"%s\", \"event\": \"%s\", \"payload\": {}}"
        .formatted(UUID.randomUUID(), event);
  }

  private static List<Delivery> all(Deliveries deliveries) {
    return LongStream.range(0, deliveries.count()).mapToObj(deliveries.make()).toList();
  }
}
