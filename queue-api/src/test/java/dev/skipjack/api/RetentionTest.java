package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetentionTest {

  @Test
  void defaultsAreTheDocumentedRetentions() {
    assertThat(Retention.defaults().archive()).isEqualTo(Duration.ofDays(7));
    assertThat(Retention.defaults().audit()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void agesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Retention(Duration.ofDays(-1), Duration.ZERO))
        .withMessage("Archive retention PT-24H is not in 0..36500 days.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Retention(Duration.ZERO, Duration.ofDays(36_501)))
        .withMessageContaining("Audit retention");
  }
}
