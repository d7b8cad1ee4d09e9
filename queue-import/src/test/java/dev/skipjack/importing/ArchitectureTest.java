package dev.skipjack.importing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass.Predicates;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.importing",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule importsNeedNoOtherQueue =
      noClasses()
          .should()
          .dependOnClassesThat(
              Predicates.resideOutsideOfPackages(
                  "dev.skipjack.importing",
                  "dev.skipjack.api..",
                  "dev.skipjack.store.jooq",
                  "java..",
                  "javax.sql",
                  "com.fasterxml.jackson.core..",
                  "org.jspecify.."));
}
