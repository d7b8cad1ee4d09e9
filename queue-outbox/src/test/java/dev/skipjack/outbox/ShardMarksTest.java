package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.ShardMarks.Sweep;
import dev.skipjack.outbox.SweepStatements.First;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShardMarksTest {

  private static final long SLOW = Duration.ofMillis(6).toNanos();

  private long now;
  private final ShardMarks marks = new ShardMarks(() -> now, ShardMarks.FAST);

  private void becomeSlow() {
    for (int i = 0; i < 3; i++) {
      assertThat(marks.beginSweep()).isFalse();
      marks.noteRead(SLOW, 0);
    }
  }

  private void sweep(long position, Set<String> writers, @Nullable Long... first) {
    assertThat(marks.beginSweep()).isTrue();
    assertThat(marks.beginSweep()).as("only one thread sweeps").isFalse();
    List<First> all = new ArrayList<>();
    for (int shard = 0; shard < first.length; shard++) {
      all.add(new First(shard, first[shard]));
    }
    marks.note(new Sweep(position, writers, all), SLOW);
    now += Duration.ofSeconds(2).toNanos();
  }

  @Test
  void aFastDatabaseNeedsNoMarks() {
    for (int i = 0; i < 10; i++) {
      marks.noteRead(SLOW, 0);
      marks.noteRead(SLOW, 0);
      marks.noteRead(SLOW, 100); // fast for a hundred events
    }

    assertThat(marks.beginSweep()).isFalse();
    assertThat(marks.marks()).isEmpty();
  }

  @Test
  void theSecondSweepMarksWhatTheFirstOneFoundSettled() {
    becomeSlow();
    sweep(100, Set.of(), null, 40L);
    assertThat(marks.marks()).isEmpty();

    sweep(200, Set.of(), null, 90L, 150L);
    assertThat(marks.marks()).containsExactly(101L, 90L, 101L);

    sweep(300, Set.of(), null, null, 150L);
    assertThat(marks.marks()).containsExactly(201L, 201L, 150L);
  }

  @Test
  void aMarkStaysBelowTheEventsOfAnOpenTransaction() {
    becomeSlow();
    sweep(100, Set.of("3/7", "4/1"), (Long) null);
    sweep(200, Set.of("3/7", "5/1"), (Long) null);
    assertThat(marks.marks()).isEmpty();

    sweep(300, Set.of("6/1"), (Long) null);
    assertThat(marks.marks()).containsExactly(101L);
    sweep(400, Set.of("6/1", "7/1"), 350L);
    assertThat(marks.marks()).as("6/1 may have drawn up to 300").containsExactly(101L);
    sweep(500, Set.of("7/1"), (Long) null);
    assertThat(marks.marks()).containsExactly(301L);
  }

  @Test
  void aLateEventLowersItsMark() {
    becomeSlow();
    sweep(100, Set.of(), (Long) null);
    sweep(200, Set.of(), (Long) null);
    assertThat(marks.marks()).containsExactly(101L);

    sweep(300, Set.of(), 7L);

    assertThat(marks.marks()).containsExactly(7L);
  }

  @Test
  void theNextSweepWaitsTwentyTimesTheDurationOfTheLast() {
    becomeSlow();
    sweep(100, Set.of(), (Long) null);
    assertThat(marks.beginSweep()).isTrue();
    marks.note(
        new Sweep(200, Set.of(), List.of(new First(0, null))), Duration.ofMillis(300).toNanos());

    now += Duration.ofMillis(5_999).toNanos();
    assertThat(marks.beginSweep()).isFalse();
    now += Duration.ofMillis(1).toNanos();
    assertThat(marks.beginSweep()).isTrue();
  }

  @Test
  void threeFastSweepsEndTheUseOfMarks() {
    becomeSlow();
    sweep(100, Set.of(), (Long) null);
    sweep(200, Set.of(), (Long) null);
    for (int i = 0; i < 3; i++) {
      assertThat(marks.marks()).isNotEmpty();
      assertThat(marks.beginSweep()).isTrue();
      marks.note(new Sweep(300, Set.of(), List.of(new First(0, null))), 0);
      now += Duration.ofSeconds(2).toNanos();
    }

    assertThat(marks.marks()).isEmpty();
    assertThat(marks.beginSweep()).isFalse();
  }

  @Test
  void aFailureDropsTheMarks() {
    becomeSlow();
    sweep(100, Set.of(), (Long) null);
    sweep(200, Set.of(), (Long) null);

    marks.drop();

    assertThat(marks.marks()).isEmpty();
    assertThat(marks.beginSweep()).isFalse();
  }
}
