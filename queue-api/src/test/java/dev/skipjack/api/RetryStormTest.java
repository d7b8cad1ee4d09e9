package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that jobs that fail together, as in an outage of a service that they call, are spread out.
 */
class RetryStormTest {

  private static final int JOBS = 10_000;

  @Test
  void theStandardBackoffRetriesAtMostOneInTwentyJobsInTheSameSecond() {
    Random random = new Random(20_261_121);
    Map<Long, Long> bySecond =
        IntStream.range(0, JOBS)
            .mapToObj(job -> Backoff.standard().after(2, random).toSeconds())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

    // Three quarters of 30 s are random, so about 1 in 22 jobs becomes due in each second.
    assertThat(bySecond.values()).allMatch(jobs -> jobs <= JOBS / 20);
  }
}
