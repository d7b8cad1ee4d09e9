package dev.skipjack.api.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueuePauseTest {

  @Test
  void pauseHasItsDurationActorAndReason() {
    QueuePause pause = QueuePause.of(Duration.ofHours(1)).by("anna").because("The link is wrong");

    assertThat(pause).isEqualTo(new QueuePause(Duration.ofHours(1), "anna", "The link is wrong"));
    assertThat(QueuePause.untilResumed()).isEqualTo(new QueuePause(null, null, null));
  }

  @Test
  void durationsOutOfRangeAreRejected() {
    for (Duration refused :
        List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(36_500).plusNanos(1))) {
      assertThatThrownBy(() -> QueuePause.of(refused))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(refused.toString());
    }
    assertThat(QueuePause.of(Duration.ofDays(36_500)).duration())
        .isEqualTo(Duration.ofDays(36_500));
  }

  @Test
  void textsThatAreBlankOrTooLongAreRejected() {
    QueuePause pause = QueuePause.untilResumed();

    assertThatThrownBy(() -> pause.by(" "))
        .hasMessage(
            "Actor ' ' of a pause must have 1 to 200 characters, not be blank, and contain no"
                + " NUL.");
    assertThatThrownBy(() -> pause.by("a".repeat(201)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pause.because(""))
        .hasMessage(
            "Reason '' of a pause must have 1 to 500 characters, not be blank, and contain no"
                + " NUL.");
    assertThatThrownBy(() -> pause.because("a".repeat(501)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pause.because("a\0b"))
        .hasMessageStartingWith("Reason 'a\uFFFDb' of a pause must");
    assertThat(pause.by("a".repeat(200)).because("b".repeat(500)).reason()).hasSize(500);
  }
}
