package dev.skipjack.worker.faults;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.Date;
import java.util.Set;

/**
 * Tests that no code outside {@link #HINTS} reads this machine's clock, so a clock that is an hour
 * off does not change when jobs run. The database decides which jobs are due and which leases have
 * expired, and durations are measured with nanoTime.
 */
@AnalyzeClasses(
    packages = {"dev.skipjack.api", "dev.skipjack.store", "dev.skipjack.worker"},
    importOptions = ImportOption.DoNotIncludeTests.class)
class WallClockTest {

  private static final Set<String> TELL_THE_TIME =
      Set.of("now", "currentTimeMillis", "systemUTC", "systemDefaultZone", "system");

  /**
   * Methods that may read the clock. With a wrong clock, an enqueue at a given instant may wake
   * workers unnecessarily or not at all, health may report a missing partition earlier or later,
   * and the text of a statement may be prepared for another week. The doctor reports by how much
   * the clock is off.
   */
  private static final Set<String> HINTS =
      Set.of(
          "WakeUpSender.isDue",
          "Vitals.partitionTrouble",
          "JooqDoctor.clock",
          "DirectStart.prepare");

  @ArchTest
  static final ArchRule noClassReadsThisMachinesClock =
      noClasses()
          .should()
          .callMethodWhere(new TellsTheTime())
          .orShould()
          .callConstructor(Date.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  private static final class TellsTheTime extends DescribedPredicate<JavaMethodCall> {

    TellsTheTime() {
      super("target returns this machine's time");
    }

    @Override
    public boolean test(JavaMethodCall call) {
      AccessTarget target = call.getTarget();
      return TELL_THE_TIME.contains(target.getName())
          && (target.getOwner().getPackageName().equals("java.time")
              || target.getOwner().getFullName().equals("java.lang.System"))
          && !HINTS.contains(
              call.getOriginOwner().getSimpleName() + "." + call.getOrigin().getName());
    }
  }
}
