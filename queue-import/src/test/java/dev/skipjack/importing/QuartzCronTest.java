package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.schedule.Timing;
import java.text.ParseException;
import java.time.Instant;
import java.util.Date;
import java.util.Random;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.CronExpression;

class QuartzCronTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 12 * * ?",
        "0 15 10 ? * *",
        "0 15 10 * * ? *",
        "30 0/5 14,18 * * ?",
        "0 0-5 14 * * ?",
        "0 10,44 14 ? 3 WED",
        "0 15 10 ? * MON-FRI",
        "0 15 10 ? * 2-6",
        "0 15 10 ? * 1,7",
        "0 15 10 15 * ?",
        "0 15 10 L * ?",
        "0 15 10 L-3 * ?",
        "0 15 10 ? * 6L",
        "0 15 10 ? * 6#3",
        "0 0 12 1/5 * ?",
        "0 0 12 ? * 2/2",
        "0 0 12 ? * 1-7/2",
        "0 0 12 ? * */3",
        "0 0 12 ? 3/4 mon-fri",
        "0 11 11 11 11 ?"
      })
  void aScheduleFiresWhenQuartzWouldHaveFired(String expression) throws ParseException {
    CronExpression quartz = new CronExpression(expression);
    quartz.setTimeZone(TimeZone.getTimeZone("Europe/Berlin"));
    Timing ours = Timing.cron(QuartzCron.convert(expression)).zone("Europe/Berlin");
    Instant at = Instant.parse("2026-11-26T00:00:00Z");
    for (int fire = 0; fire < 20; fire++) {
      Instant expected = quartz.getNextValidTimeAfter(Date.from(at)).toInstant();
      assertThat(ours.next(at)).as("%s after %s", expression, at).contains(expected);
      at = expected;
    }
  }

  @Test
  void aConvertedExpressionFiresWhenQuartzWouldHaveFired() {
    RandomCron random = new RandomCron(new Random(7), 1, 7);
    int compared = 0;
    for (int round = 0; round < 3000; round++) {
      String expression = random.expression();
      CronExpression quartz;
      Timing ours;
      try {
        quartz = new CronExpression(expression);
        ours = Timing.cron(QuartzCron.convert(expression));
      } catch (ParseException | IllegalArgumentException refused) {
        continue;
      }
      compared++;
      quartz.setTimeZone(TimeZone.getTimeZone("UTC"));
      Instant at = Instant.parse("2027-01-01T00:00:00Z");
      for (int fire = 0; fire < 12; fire++) {
        Instant expected = quartz.getNextValidTimeAfter(Date.from(at)).toInstant();
        assertThat(ours.next(at)).as("%s after %s", expression, at).contains(expected);
        at = expected;
      }
    }
    assertThat(compared).isGreaterThan(100);
  }

  @Test
  void yearsAreRefused() {
    assertThatThrownBy(() -> QuartzCron.convert("0 0 12 * * ? 2027"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cron expression '0 0 12 * * ? 2027' names years. Leave them out.");
    assertThatThrownBy(() -> QuartzCron.convert("0 12 * * ?"))
        .hasMessage("Cron expression '0 12 * * ?' has 5 fields, but Quartz has at least six.");
  }
}
