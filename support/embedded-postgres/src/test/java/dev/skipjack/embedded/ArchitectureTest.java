package dev.skipjack.embedded;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.embedded",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule embeddedPostgresDoesNotDependOnTheQueue =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.skipjack.api..",
              "dev.skipjack.model..",
              "dev.skipjack.store..",
              "dev.skipjack.worker..",
              "dev.skipjack.migrations..",
              "org.jooq..",
              "org.flywaydb..");
}
