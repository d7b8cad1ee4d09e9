package dev.skipjack.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jooq.Select;
import org.jooq.impl.DSL;

@AnalyzeClasses(
    packages = "dev.skipjack.outbox",
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
  static final ArchRule outboxDependsOnNeitherWorkerNorTestkit =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.skipjack.worker..", "dev.skipjack.testkit..");
}
