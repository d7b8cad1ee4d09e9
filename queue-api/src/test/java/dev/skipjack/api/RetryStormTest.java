package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs that failed in the same second, as in an outage of what they call, come back one by one. */
class RetryStormTest {

  private static final int JOBS = 10_000;

  @Test
  void theStandardBackoffBringsBackNoMoreThanOneInTwentyInASecond() {
    Random random = new Random(20_261_121);
    Map<Long, Long> bySecond =
        IntStream.range(0, JOBS)
            .mapToObj(job -> Backoff.standard().after(2, random).toSeconds())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

    // 30 s, three quarters of it random: 22.5 s, each second with a 22nd of them.
    assertThat(bySecond.values()).allMatch(jobs -> jobs <= JOBS / 20);
  }
}
