package dev.skipjack.skiplocked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.skiplocked",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule skipLockedKnowsJooqAndNothingElseOfTheQueue =
      noClasses()
          .should()
          .dependOnClassesThat(
              Predicates.resideOutsideOfPackages(
                  "dev.skipjack.skiplocked", "java..", "org.jooq..", "org.jspecify.."));
}
