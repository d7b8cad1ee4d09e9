package dev.skipjack.worker.faults;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.Date;
import java.util.Set;

/**
 * Nobody asks this machine what time it is, so a clock that is an hour off changes nothing: what is
 * due and what has expired is decided by the database, and waits are measured by nanoTime.
 */
@AnalyzeClasses(
    packages = {"dev.skipjack.api", "dev.skipjack.store", "dev.skipjack.worker"},
    importOptions = ImportOption.DoNotIncludeTests.class)
class WallClockTest {

  private static final Set<String> TELL_THE_TIME =
      Set.of("now", "currentTimeMillis", "systemUTC", "systemDefaultZone", "system");

  @ArchTest
  static final ArchRule nobodyAsksThisMachinesClock =
      noClasses()
          .should()
          .callMethodWhere(JavaCall.Predicates.target(new NamedLikeAClock()))
          .orShould()
          .callConstructor(Date.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  private static final class NamedLikeAClock extends DescribedPredicate<AccessTarget> {

    NamedLikeAClock() {
      super("tells this machine's time");
    }

    @Override
    public boolean test(AccessTarget target) {
      return TELL_THE_TIME.contains(target.getName())
          && (target.getOwner().getPackageName().equals("java.time")
              || target.getOwner().getFullName().equals("java.lang.System"));
    }
  }
}
