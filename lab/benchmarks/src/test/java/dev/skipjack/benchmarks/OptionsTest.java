package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.benchmarks.Options.Setting;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

  @ParameterizedTest
  @CsvSource({
    "JOBS, 0, 1, 100000000",
    "WORKERS, 1001, 1, 1000",
    "BATCH, 1001, 1, 1000",
    "SECONDS, -1, 1, 86400",
    "RATE, 1000001, 1, 1000000",
    "RUNS, 0, 1, 1000"
  })
  void numberOutOfRangeIsRefusedWithTheAllowedRange(
      Setting setting, long value, long min, long max) {
    assertThatThrownBy(() -> Options.none().with(setting, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("%s is %d, but must be %d to %d.".formatted(setting.option(), value, min, max));
    assertThatCode(() -> Options.none().with(setting, min).with(setting, max))
        .doesNotThrowAnyException();
  }

  @Test
  void unsetOptionReturnsTheDefault() {
    Options none = Options.none();
    Options some = none.with(Setting.JOBS, 7).archive(false);
    assertThat(none.number(Setting.JOBS, 3)).isEqualTo(3);
    assertThat(some.number(Setting.JOBS, 3)).isEqualTo(7);
    assertThat(some.number(Setting.ARCHIVE, 1)).isZero();
    assertThat(some.seconds(8)).isEqualTo(8);
    assertThat(some.requested()).containsOnlyKeys("jobs", "archive");
  }

  @Test
  void optionThatDoesNotApplyIsRefused() {
    Options requested = Options.none().with(Setting.JOBS, 7).out(Path.of("plots"));
    assertThatCode(() -> requested.requireOnly("x", EnumSet.of(Setting.JOBS, Setting.OUT)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> requested.requireOnly("x", EnumSet.of(Setting.JOBS, Setting.RUNS)))
        .hasMessage("--out does not apply to x, which takes --jobs, --runs.");
    assertThatThrownBy(() -> requested.requireOnly("x", EnumSet.of(Setting.OUT)))
        .hasMessage("--jobs does not apply to x, which takes --out.");
  }
}
