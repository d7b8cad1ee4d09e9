package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.schedule.Timing;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Random;
import org.jobrunr.scheduling.cron.CronExpression;
import org.junit.jupiter.api.Test;

class JobRunrCronTest {

  private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");

  @Test
  void aConvertedExpressionFiresWhenJobRunrWouldHaveFired() {
    RandomCron random = new RandomCron(new Random(7), 0, 6);
    int compared = 0;
    for (int round = 0; round < 3000; round++) {
      String expression = random.expression().replace('?', '*');
      CronExpression theirs;
      Timing ours;
      try {
        theirs = new CronExpression(expression);
        theirs.next(START, START, ZoneOffset.UTC);
        ours = Timing.cron(expression);
      } catch (RuntimeException refused) {
        continue;
      }
      if (!JobRunrSource.CRON.matcher(expression).matches()) {
        continue;
      }
      compared++;
      Instant at = START;
      for (int fire = 0; fire < 12; fire++) {
        Instant expected = theirs.next(START, at, ZoneOffset.UTC);
        assertThat(ours.next(at)).as("%s after %s", expression, at).contains(expected);
        at = expected;
      }
    }
    assertThat(compared).isGreaterThan(100);
  }
}
