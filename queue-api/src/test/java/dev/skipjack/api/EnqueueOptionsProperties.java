package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class EnqueueOptionsProperties {

  /** The database would reject such a delay too, but only by aborting the caller's transaction. */
  @Property(tries = 10_000)
  void anyDelayIsRefusedOrFitsIntoMicroseconds(@ForAll long seconds, @ForAll int nanos) {
    Duration delay;
    try {
      delay = Duration.ofSeconds(seconds, nanos);
    } catch (ArithmeticException noDuration) {
      return;
    }
    if (delay.isNegative() || delay.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      assertThatThrownBy(() -> EnqueueOptions.none().delay(delay))
          .isInstanceOf(IllegalArgumentException.class);
    } else {
      assertThat(EnqueueOptions.none().delay(delay).delay()).isEqualTo(delay);
    }
  }
}
