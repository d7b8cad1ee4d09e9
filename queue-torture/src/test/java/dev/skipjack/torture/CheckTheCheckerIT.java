package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A checker that never finds anything would find nothing here either. */
@QueueTest
@Timeout(60)
class CheckTheCheckerIT {

  private static final List<Rig.Faults> ALL = List.of(Rig.Faults.values());

  private final QueueDatabase database;

  CheckTheCheckerIT(QueueDatabase database) {
    this.database = database;
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenQueueIsCaughtUnderItsName(BrokenQueue broken, @TempDir Path folder) throws Exception {
    TortureReport report = new Rig(database, folder, broken, broken.faults()).run(1);

    assertThat(report.count(broken.counter())).as(report.json()).isPositive();
    assertThat(report.isClean()).isFalse();
    assertThat(report.stories()).isNotEmpty();
  }

  @RepeatedTest(4)
  void aRunOfTheRealQueueGivesNoAlarm(RepetitionInfo run, @TempDir Path folder) throws Exception {
    assertNoAlarm(run, folder);
  }

  @RepeatedTest(16)
  @Tag("soak")
  void noRunOfManyGivesAlarm(RepetitionInfo run, @TempDir Path folder) throws Exception {
    assertNoAlarm(run, folder);
  }

  private void assertNoAlarm(RepetitionInfo run, Path folder) throws Exception {
    TortureReport report =
        new Rig(database, folder, null, ALL.get(run.getCurrentRepetition() % ALL.size()))
            .run(run.getCurrentRepetition());

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
  }
}
