package dev.skipjack.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandledJobsTest {

  private final HandledJobs handled = new HandledJobs(-1, 2);

  @Test
  void theBeginOfEachJobIsRecorded() throws Exception {
    long before = System.nanoTime();
    for (long n = -1; n <= 2; n++) {
      handled.add(n);
    }
    handled.await("some", () -> 0, 4);

    assertThat(handled.firstNanos()).isEqualTo(handled.nanos(-1)).isGreaterThanOrEqualTo(before);
    assertThat(handled.nanos(2)).isGreaterThanOrEqualTo(handled.nanos(1));
    assertThat(handled.epochMicros(2)).isGreaterThanOrEqualTo(handled.epochMicros(-1));
  }

  @Test
  void aJobOfAnotherProcessBeganWhenThatProcessReports() throws Exception {
    long now = HandledJobs.epochMicros(Instant.now());
    handled.add(1);
    handled.add(2, now - 5_000_000);
    handled.await("some", () -> 0, 2);

    assertThat(handled.epochMicros(2)).isEqualTo(now - 5_000_000);
    assertThat(handled.nanos(1) - handled.nanos(2)).isGreaterThanOrEqualTo(5_000_000_000L);
  }

  @Test
  void theEndOfTheJobsIsAwaited() throws Exception {
    handled.add(1);
    Iterator<Long> unfinished = List.of(2L, 1L, 0L).iterator();

    handled.await("some", unfinished::next, 1);

    assertThat(unfinished).isExhausted();
  }

  @Test
  void aJobThatRanTwiceFailsTheComparison() {
    handled.add(1);
    handled.add(1);
    assertThatThrownBy(() -> handled.await("some", () -> 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("some had 1 jobs, ran 1 of them and repeated 1.");
  }

  @Test
  void anUnexpectedJobFailsTheComparison() {
    handled.add(1);
    handled.add(2);
    assertThatThrownBy(() -> handled.await("some", () -> 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("some had 1 jobs, ran 2 of them and repeated 0.");
  }
}
