package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MinuteWriterTest {

  private long now = Instant.parse("2026-03-04T12:00:30Z").toEpochMilli();
  private final MinuteCounts counts = new MinuteCounts();
  private final Registry registry = new Registry();
  private final MinuteWriter writer =
      new MinuteWriter(
          registry,
          WorkerId.boot("w"),
          counts,
          new Reporter(List.of()),
          () -> now,
          new SplittableRandom(1));

  private static final class Registry implements WorkerRegistry {
    private final List<List<JobMinute>> minutes = new ArrayList<>();
    private @Nullable StoreException failure;

    @Override
    public void addMinute(WorkerId worker, List<JobMinute> added) {
      if (failure != null) {
        throw failure;
      }
      minutes.add(added);
    }

    @Override
    public WorkerInstructions announce(WorkerRow row) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<UnhandledKind> unhandledKinds(WorkerRow worker) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void remove(WorkerId id) {
      throw new UnsupportedOperationException();
    }
  }

  private void complete() {
    counts.ended(MinuteCountsTest.attempt("q", "k"), MinuteCounts.Result.COMPLETED);
  }

  private void sleepUntilDue() {
    now += Duration.ofNanos(writer.nanosLeft()).toMillis();
  }

  @Test
  void countsAreWrittenInTheFirstSecondsOfTheNextMinute() {
    complete();
    assertThat(writer.run()).isFalse();

    sleepUntilDue();

    assertThat(Instant.ofEpochMilli(now))
        .isBetween(Instant.parse("2026-03-04T12:01:00Z"), Instant.parse("2026-03-04T12:01:10Z"));
    assertThat(writer.run()).isTrue();
    assertThat(registry.minutes).hasSize(1);
  }

  @Test
  void countsAreWrittenOnceAMinute() {
    for (int minute = 0; minute < 5; minute++) {
      complete();
      sleepUntilDue();
      assertThat(writer.run()).isTrue();
      assertThat(writer.run()).isFalse();
    }

    assertThat(registry.minutes).hasSize(5);
    assertThat(Duration.ofNanos(writer.nanosLeft())).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void aMinuteWithoutAttemptsIsNotWritten() {
    sleepUntilDue();

    assertThat(writer.run()).isFalse();
    assertThat(registry.minutes).isEmpty();
  }

  @Test
  void aFailureLosesOnlyItsMinute() {
    registry.failure = new StoreException("refused", new SQLException("refused", "42501"));
    complete();
    sleepUntilDue();
    assertThat(writer.run()).isTrue();

    registry.failure = null;
    complete();
    sleepUntilDue();
    assertThat(writer.run()).isTrue();

    assertThat(registry.minutes)
        .singleElement()
        .satisfies(minute -> assertThat(minute.get(0).completed()).isEqualTo(1));
  }

  @Test
  void aClockThatIsSetBackDelaysTheNextWriteByAMinuteAtMost() {
    now -= Duration.ofDays(1).toMillis();

    assertThat(Duration.ofNanos(writer.nanosLeft())).isLessThan(Duration.ofSeconds(71));
  }
}
