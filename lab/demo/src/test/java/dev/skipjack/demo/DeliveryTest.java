package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTest {

  private final Path file;

  DeliveryTest(@TempDir Path folder) {
    this.file = folder.resolve("in.jsonl");
  }

  @Test
  void generatedDeliveriesDifferAndTwoHundredHaveEveryFate() {
    List<Delivery> generated = input(null, 200L);
    assertThat(generated).extracting(Delivery::delivery).hasSize(200).doesNotHaveDuplicates();
    assertThat(generated).extracting(Delivery::event).contains("push", "security_advisory");
    assertThat(LongStream.rangeClosed(1, 200).mapToObj(Fate::of)).contains(Fate.values());
  }

  @Test
  void aFileIsReadAsItIsOrRepeatedWithNewIds() throws Exception {
    Files.writeString(file, line("a") + "\n\n" + line("b") + "\n");
    assertThat(input(file, null)).extracting(Delivery::event).containsExactly("a", "b");
    List<Delivery> repeated = input(file, 5L);
    assertThat(repeated).extracting(Delivery::event).containsExactly("a", "b", "a", "b", "a");
    assertThat(repeated).extracting(Delivery::delivery).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"delivery\":                               | : delivery 1 cannot be read: Unexpected end-of-input",
        "{\"event\": \"e\", \"payload\": {}}          | 'delivery', 'event' and 'payload' are required",
        "{\"delivery\": \"x\", \"event\": \"e\"}      | UUID",
        "``                                           | contains no delivery",
      })
  void anInvalidFileIsRefused(String line, String reason) throws Exception {
    Files.writeString(file, line + "\n");
    assertThatThrownBy(() -> input(file, 5L))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(reason);
  }

  private static List<Delivery> input(@Nullable Path file, @Nullable Long jobs) {
    return Delivery.input(new DemoOptions(file, jobs, false, null)).toList();
  }

  /** Returns a line of the input with a new id and an empty payload. */
  static String line(String event) {
    return "{\"delivery\": \"%s\", \"event\": \"%s\", \"payload\": {}}"
        .formatted(UUID.randomUUID(), event);
  }
}
