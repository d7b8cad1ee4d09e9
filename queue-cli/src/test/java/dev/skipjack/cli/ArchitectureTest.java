package dev.skipjack.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Rules about all modules. They are tested here because this module has the most modules on its
 * class path.
 */
@AnalyzeClasses(packages = "dev.skipjack", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule onlyExtensionsOfTheStoreUseItsInternals =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.skipjack.store.jooq..", "dev.skipjack.dedup..", "dev.skipjack.outbox..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.store.jooq.internal..");
}
