package dev.skipjack.steps;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jooq.Select;
import org.jooq.impl.DSL;

@AnalyzeClasses(
    packages = "dev.skipjack.steps",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule conditionsDoNotDependOnTheVersionOfJooq =
      noClasses()
          .should()
          .callMethod(DSL.class, "exists", Select.class)
          .orShould()
          .callMethod(DSL.class, "notExists", Select.class)
          .because("jOOQ 3.21 does not have these methods; use Existence");

  @ArchTest
  static final ArchRule stepsDoNotKnowTheTestkit =
      noClasses().should().dependOnClassesThat().resideInAPackage("dev.skipjack.testkit..");

  @ArchTest
  static final ArchRule theSweepDoesNotKnowTheHandlersSide =
      noClasses()
          .that()
          .resideInAPackage("dev.skipjack.steps.internal")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.steps");
}
