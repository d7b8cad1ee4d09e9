package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.Audit.Attempt;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditTest {

  private static Attempt attempt(String group, long started, long finished) {
    return new Attempt(started, "q", group, started, finished);
  }

  private static Audit starts(long... at) {
    return Audit.of(Arrays.stream(at).mapToObj(time -> attempt("", time, time + 1)).toList());
  }

  @Test
  void anAttemptRunsUntilItsEndExclusive() {
    assertThat(Audit.of(List.of(attempt("a", 1, 5), attempt("a", 5, 9))).mostRunning())
        .isEqualTo(1);
    assertThat(Audit.of(List.of(attempt("a", 1, 6), attempt("a", 5, 9))).mostRunning())
        .isEqualTo(2);
    assertThat(Audit.of(List.of(attempt("a", 1, Long.MAX_VALUE), attempt("b", 5, 9))).mostRunning())
        .isEqualTo(2);
  }

  @Test
  void groupsAreCountedSeparately() {
    Audit audit = Audit.of(List.of(attempt("a", 1, 6), attempt("b", 2, 6), attempt("b", 3, 6)));

    assertThat(audit.mostRunning()).isEqualTo(3);
    assertThat(audit.mostRunningOfAGroup()).isEqualTo(2);
  }

  @Test
  void startsAboveALimitThatChangesAreCounted() {
    Audit audit = Audit.of(List.of(attempt("a", 1, 20), attempt("a", 2, 4), attempt("a", 9, 10)));

    assertThat(audit.startedAbove(time -> 2)).isEmpty();
    assertThat(audit.startedAbove(time -> time < 5 ? 2 : 1))
        .extracting(Attempt::started)
        .containsExactly(9L);
  }

  @Test
  void mostStartsOfASlidingWindowAreCountedWhereverItBegins() {
    assertThat(starts(0, 4, 9, 10).mostStartsIn(10)).isEqualTo(3);
    assertThat(starts(0, 4, 9, 10).mostStartsIn(11)).isEqualTo(4);
  }

  @Test
  void startsOfFixedWindowsAreCountedSeparately() {
    assertThat(starts(8, 9, 10, 11, 12).mostStartsInWindows(10)).isEqualTo(3);
  }

  @Test
  void aTokenBucketAllowsABurstAndOneStartForEachInterval() {
    assertThat(starts(0, 0, 0, 10, 20, 30).aboveBucket(3, 10)).isZero();
    assertThat(starts(0, 0, 0, 10, 20, 29).aboveBucket(3, 10)).isEqualTo(1);
    assertThat(starts(0, 0, 0, 0, 0).aboveBucket(3, 10)).isEqualTo(2);
    assertThat(starts(0, 50, 100, 100, 100).aboveBucket(3, 10)).isZero();
    assertThat(starts(0, 50, 99, 100, 100, 100).aboveBucket(3, 10)).isEqualTo(1);
  }
}
