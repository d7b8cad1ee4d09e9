package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WakeUpChannelTest {

  private static final String LONG_NAME = "x".repeat(63);

  private final WakeUpChannel channel = new WakeUpChannel("skipjack");

  @ParameterizedTest
  @ValueSource(ints = {-100, -1, 0, 7, 99, 100})
  void wakeUpIsReadAsItWasWritten(int priority) {
    WakeUp wakeUp = new WakeUp(new Lane(LONG_NAME, priority), LONG_NAME);

    assertThat(channel.read(channel.text(wakeUp))).contains(wakeUp);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "account 42 ", "\n", "ä €"})
  void orderingKeyIsReadAsItWasWritten(String key) {
    WakeUp wakeUp = new WakeUp(new Lane("q", -7), "k", key);

    assertThat(channel.read(channel.text(wakeUp))).contains(wakeUp);
  }

  /** Any role that can connect may send any text on the channel. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "q", "q k", "q k 101", "q k -101", "q k 999", "q k 1 ", "q k x", "probe 17"})
  void textThatNoJobCanHaveIsIgnored(String text) {
    assertThat(channel.read(text)).isEmpty();
  }

  @Test
  void namesThatAreTooLongAreIgnored() {
    assertThat(channel.read(LONG_NAME + "x k 0")).isEmpty();
    assertThat(channel.read("q " + "k".repeat(7_000) + " 0")).isEmpty();
    assertThat(channel.read("q k 0 " + "k".repeat(513))).isEmpty();
  }
}
