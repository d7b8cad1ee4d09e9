package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronErrorsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 9 32 * *    | field 3 (day of month): 32 is not in 1..31.
          0 0 9 32 * *  | field 4 (day of month): 32 is not in 1..31.
          60 * * * *    | field 1 (minute): 60 is not in 0..59.
          60 * * * * *  | field 1 (second): 60 is not in 0..59.
          0 24 * * *    | field 2 (hour): 24 is not in 0..23.
          0 0 0 * *     | field 3 (day of month): 0 is not in 1..31.
          0 0 * 13 *    | field 4 (month): 13 is not in 1..12.
          0 0 * * 8     | field 5 (day of week): 8 is not in 0..7.
          99999999999999999999 * * * * | field 1 (minute): 99999999999999999999 is not in 0..59.
          -5 * * * *    | field 1 (minute): '' is not a number.
          5- * * * *    | field 1 (minute): '' is not a number.
          1-2-3 * * * * | field 1 (minute): '2-3' is not a number.
          1,,2 * * * *  | field 1 (minute): '' is not a number.
          1, * * * *    | field 1 (minute): '' is not a number.
          1.5 * * * *   | field 1 (minute): '1.5' is not a number.
          ** * * * *    | field 1 (minute): '**' is not a number.
          *-5 * * * *   | field 1 (minute): '*' is not a number.
          ? * * * *     | field 1 (minute): '?' is not a number.
          0 0 ?,1 * *   | field 3 (day of month): '?' is not a number.
          MON * * * *   | field 1 (minute): 'MON' is not a number.
          L * * * *     | field 1 (minute): 'L' is not a number.
          0 0 MON * *   | field 3 (day of month): 'MON' is not a number.
          0 0 * MON *   | field 4 (month): 'MON' is not a number or one of [JAN, FEB, MAR, APR, MAY, JUN, JUL, AUG, SEP, OCT, NOV, DEC].
          0 0 * * JAN   | field 5 (day of week): 'JAN' is not a number or one of [SUN, MON, TUE, WED, THU, FRI, SAT].
          0 0 * * MOND  | field 5 (day of week): 'MOND' is not a number or one of [SUN, MON, TUE, WED, THU, FRI, SAT].
          */0 * * * *   | field 1 (minute): 0 is not in 1..59.
          */90 * * * *  | field 1 (minute): 90 is not in 1..59.
          */ * * * *    | field 1 (minute): '' is not a number.
          */5/2 * * * * | field 1 (minute): '5/2' is not a number.
          0 0 * * */8   | field 5 (day of week): 8 is not in 1..7.
          0 */24 * * *  | field 2 (hour): 24 is not in 1..23.
          0 22-6 * * *  | field 2 (hour): 22-6 runs backwards; write 22-23,0-6.
          0 0 * NOV-FEB * | field 4 (month): NOV-FEB runs backwards; write NOV-12,1-FEB.
          0 0 * * FRI-MON | field 5 (day of week): FRI-MON runs backwards; write FRI-6,0-MON.
          0 0 * * 5-1/2 | field 5 (day of week): 5-1 runs backwards; write 5-6,0-1.
          0 0 L-0 * *   | field 3 (day of month): 0 is not in 1..30.
          0 0 L-31 * *  | field 3 (day of month): 31 is not in 1..30.
          0 0 L-3W * *  | field 3 (day of month): '3W' is not a number.
          0 0 L3 * *    | field 3 (day of month): 'L3' is not L, LW or L-n.
          0 0 W * *     | field 3 (day of month): '' is not a number.
          0 0 32W * *   | field 3 (day of month): 32 is not in 1..31.
          0 0 1-5W * *  | field 3 (day of month): '1-5' is not a number.
          0 0 * * L     | field 5 (day of week): '' is not a number or one of [SUN, MON, TUE, WED, THU, FRI, SAT].
          0 0 * * MON#6 | field 5 (day of week): 6 is not in 1..5.
          0 0 * * MON#0 | field 5 (day of week): 0 is not in 1..5.
          0 0 * * MON#X | field 5 (day of week): 'X' is not a number.
          0 0 * * */X   | field 5 (day of week): 'X' is not a number.
          0 0 * * #2    | field 5 (day of week): '' is not a number or one of [SUN, MON, TUE, WED, THU, FRI, SAT].
          0 0 * * 5W    | field 5 (day of week): '5W' is not a number or one of [SUN, MON, TUE, WED, THU, FRI, SAT].
          """)
  void anErrorNamesTheFieldAndTheReason(String expression, String reason) {
    assertThatThrownBy(() -> Timing.cron(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cron expression '%s', %s", expression, reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 30 2 *",
        "0 0 30 FEB *",
        "0 0 31 4 *",
        "0 0 31 2,4,6,9,11 ?",
        "0 0 L-29 2 *",
        "0 0 L-30 4 *",
        "0 0 30W 2 *",
        "0 0 0 30-31 2 */2",
        "0 0 */30 * MON#2",
      })
  void anExpressionThatNeverFiresIsRefused(String expression) {
    assertThatThrownBy(() -> Timing.cron(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never fires: its months have no such day");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''            | Cron expression '' has 0 fields.
          '  '          | Cron expression '  ' has 0 fields.
          * * * *       | Cron expression '* * * *' has 4 fields.
          0 0 0 1 1 ? 2026 | Cron expression '0 0 0 1 1 ? 2026' has 7 fields.
          @reboot       | Cron expression '@reboot' is unknown. Use one of [@annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly].
          @             | Cron expression '@' is unknown.
          @daily 5      | Cron expression '@daily 5' is unknown.
          """)
  void anErrorOfTheWholeExpressionStatesWhatIsAllowed(String expression, String message) {
    assertThatThrownBy(() -> Timing.cron(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void anErrorIsReadableAndBoundedWhateverTheFieldContains() {
    assertThatThrownBy(() -> Timing.cron("x\0" + "y".repeat(400) + " * * * *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("\0")
        .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(300));
  }

  @Test
  void aLongExpressionIsRefusedAndItsBeginningIsShown() {
    assertThatThrownBy(() -> Timing.cron("0,".repeat(300) + " * * * *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("(cut)")
        .hasMessageEndingWith("has 608 characters; at most 500 are allowed.");
  }
}
