package dev.skipjack.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the values that are written about attempts. No such write may fail because of its data. */
class AttemptValuesTest {

  private static final Execution EXECUTION =
      new Execution(new JobId(1), new ExecutionId(2), Instant.EPOCH);

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"COMPLETED", "CANCELLED"})
  void aFinalOutcomeCompletesOrCancelsTheJob(JobStatus status) {
    assertThatThrownBy(() -> new FinalOutcome(EXECUTION, status, null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A final outcome is COMPLETED or CANCELLED, not %s.", status);
  }

  @Test
  void aFinalOutcomeHasAResultOrAReason() {
    assertThatThrownBy(() -> new FinalOutcome(EXECUTION, JobStatus.CANCELLED, "1", null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no result");
    assertThatThrownBy(() -> new FinalOutcome(EXECUTION, JobStatus.COMPLETED, null, "r"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no reason");
    assertThat(FinalOutcome.completed(EXECUTION, null).result()).isNull();
    assertThat(FinalOutcome.cancelled(EXECUTION, null).reason()).isNull();
  }

  @Test
  void aReasonIsSanitized() {
    String hostile = "nul \0 lone \uD800 " + "x".repeat(10_000);

    assertThat(FinalOutcome.cancelled(EXECUTION, hostile).reason())
        .isEqualTo(JobError.of(hostile).message())
        .doesNotContain("\0")
        .hasSizeLessThan(hostile.length());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SNOOZED", "RELEASED"})
  void anAttemptIsRequeuedAsSnoozedOrReleased(ExecutionStatus status) {
    assertThatThrownBy(() -> new Requeue(EXECUTION, status, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not as " + status);
  }

  @Test
  void anInstantIsClampedToTheRangeOfTheDatabase() {
    assertThat(Requeue.until(EXECUTION, ExecutionStatus.SNOOZED, Instant.MAX).until())
        .isEqualTo(EnqueueOptions.LATEST);
    assertThat(Requeue.until(EXECUTION, ExecutionStatus.SNOOZED, Instant.MIN).until())
        .isEqualTo(Instant.EPOCH);
    assertThat(new Requeue(EXECUTION, ExecutionStatus.SNOOZED, Duration.ofDays(-1)).until())
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 101, Integer.MAX_VALUE})
  void progressIsAPercentage(int percent) {
    assertThatThrownBy(() -> new Progress(EXECUTION, percent, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Progress of %d %% is not in 0..100.".formatted(percent));
  }

  @Test
  void aMessageIsSanitized() {
    assertThat(new Progress(EXECUTION, 0, "a\0b").message()).isEqualTo("a\uFFFDb");
    assertThat(new Progress(EXECUTION, 100, "x".repeat(501)).message()).hasSize(500);
    assertThat(new Progress(EXECUTION, 1, null).message()).isNull();
  }
}
