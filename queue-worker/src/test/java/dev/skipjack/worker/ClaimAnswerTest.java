package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimAnswerTest {

  private static final Lane A = new Lane("q", 9);
  private static final Lane B = new Lane("q", 5);
  private static final Lane C = new Lane("q", 0);

  @Test
  void aClaimBelowItsLimitHasReadEveryLane() {
    ClaimAnswer answer = answer(10, 4, 2, 0, 3);

    assertThat(answer.visited()).isEqualTo(3);
    assertThat(taken(answer)).containsExactly(2, 0, 3);
    assertThat(shorts(answer)).containsExactly(true, true, true);
  }

  @Test
  void aLaneThatReturnedAllRequestedJobsIsNotShort() {
    assertThat(shorts(answer(13, 4, 4, 4, 3))).containsExactly(false, false, true);
  }

  /**
   * The lane that filled the claim was not read to its end, and later lanes were not read at all.
   */
  @Test
  void aFullClaimShowsNothingAboutLaterLanes() {
    ClaimAnswer answer = answer(5, 4, 2, 3, 0);

    assertThat(answer.visited()).isEqualTo(2);
    assertThat(shorts(answer)).containsExactly(true, false, false);
  }

  @Test
  void theLastJobOfALaneIsTheOneDueLast() {
    ClaimAnswer answer = answer(10, 4, 2, 0, 3);

    assertThat(answer.last(0)).extracting(ClaimedJob::lane).isEqualTo(A);
    assertThat(answer.last(1)).isNull();
    assertThat(answer.last(2)).isSameAs(answer.jobs().get(4));
  }

  private static ClaimAnswer answer(int limit, int cap, int a, int b, int c) {
    List<LaneShare> shares =
        Stream.of(A, B, C).map(lane -> new LaneShare(lane, cap, null)).toList();
    List<ClaimedJob> jobs =
        Stream.of(jobs(A, a), jobs(B, b), jobs(C, c)).flatMap(List::stream).toList();
    return ClaimAnswers.of(shares, limit, jobs, Duration.ZERO);
  }

  private static List<ClaimedJob> jobs(Lane lane, int count) {
    return Collections.nCopies(count, lane).stream()
        .map(each -> ClaimAnswers.job(each, Instant.EPOCH, Instant.EPOCH))
        .toList();
  }

  private static List<Integer> taken(ClaimAnswer answer) {
    return List.of(answer.taken(0), answer.taken(1), answer.taken(2));
  }

  private static List<Boolean> shorts(ClaimAnswer answer) {
    return List.of(answer.isShort(0), answer.isShort(1), answer.isShort(2));
  }
}
