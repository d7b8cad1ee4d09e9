package dev.skipjack.program;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

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
              "dev.skipjack.store.jooq..",
              "dev.skipjack.dedup..",
              "dev.skipjack.outbox..",
              "dev.skipjack.steps..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.store.jooq.internal..");

  @ArchTest
  static final ArchRule onlyModulesWithStatementsRunThem =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.skipjack.sql",
              "dev.skipjack.operations..",
              "dev.skipjack.store.jooq..",
              "dev.skipjack.dedup..",
              "dev.skipjack.outbox..",
              "dev.skipjack.steps..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.sql..");

  /** The demo shows what an application can do, so it must use only the API for applications. */
  @ArchTest
  static final ArchRule theDemoUsesWhatApplicationsMayUse =
      noClasses()
          .that()
          .resideInAPackage("dev.skipjack.demo..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack..spi..");

  @ArchTest
  static final ArchRule onlyTheStoreUsesTheSqlOfOperators =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.skipjack.operations..", "dev.skipjack.store.jooq..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.operations..");

  @ArchTest
  static final ArchRule onlyTheOutboxKnowsItsTables =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.skipjack.sql", "dev.skipjack.operations..", "dev.skipjack.store.jooq..")
          .should()
          .accessFieldWhere(target(nameMatching("(OUTBOX|INBOX)_.*")))
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("dev\\.skipjack\\.model\\..*\\.(Outbox|Inbox).*");

  @ArchTest
  static final ArchRule modulesHaveNoCycles =
      slices().matching("dev.skipjack.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule theOperatorsProgramUsesNeitherAServerNorTheLab =
      noClasses()
          .that()
          .resideInAPackage("dev.skipjack.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.skipjack.embedded..",
              "dev.skipjack.faults..",
              "dev.skipjack.benchmarks..",
              "dev.skipjack.torture..",
              "dev.skipjack.demo..",
              "dev.skipjack.program..");
}
