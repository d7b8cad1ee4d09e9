package dev.skipjack.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.spring",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** Other classes must be loadable with both versions, because Spring Boot 4 has moved classes. */
  @ArchTest
  static final ArchRule onlyConditionalClassesUseClassesOfOneVersionOfSpringBoot =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("SkipjackHealth")
          .and()
          .haveSimpleNameNotStartingWith("SkipjackFlyway")
          .and()
          .haveSimpleNameNotStartingWith("SkipjackEndpoint")
          .and()
          .haveSimpleNameNotStartingWith("SkipjackInfo")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.springframework.boot.actuate..",
              "org.springframework.boot.health..",
              "org.springframework.boot.autoconfigure.flyway..",
              "org.springframework.boot.autoconfigure.jdbc..",
              "org.springframework.boot.autoconfigure.transaction..");

  /** These packages have the same classes in both versions. */
  @ArchTest
  static final ArchRule endpointAndInfoWorkWithBothVersionsOfSpringBoot =
      noClasses()
          .that()
          .haveSimpleNameStartingWith("SkipjackEndpoint")
          .or()
          .haveSimpleNameStartingWith("SkipjackInfo")
          .should()
          .dependOnClassesThat(
              resideInAPackage("org.springframework.boot.actuate..")
                  .and(
                      resideOutsideOfPackages(
                          "org.springframework.boot.actuate.endpoint..",
                          "org.springframework.boot.actuate.info",
                          "org.springframework.boot.actuate.autoconfigure.endpoint.condition",
                          "org.springframework.boot.actuate.autoconfigure.info")));

  @ArchTest
  static final ArchRule onlyItsConfigurationUsesJackson3 =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("SkipjackJackson3")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.skipjack.jackson3..", "tools.jackson..");

  @ArchTest
  static final ArchRule onlyItsConfigurationUsesUniqueJobs =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("SkipjackUniqueJobs")
          .and()
          .haveSimpleNameNotStartingWith("SpringUniqueJobs")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.dedup..");

  @ArchTest
  static final ArchRule onlyItsConfigurationUsesTheOutbox =
      noClasses()
          .that()
          .haveNameNotMatching(
              ".*\\.(SkipjackOutbox|SkipjackRelay|SpringEventRecorder|RelayCustomizer|OutboxReports).*")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.skipjack.outbox..");

  @ArchTest
  static final ArchRule onlyItsConfigurationUsesTheDashboard =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.SkipjackDashboard.*")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.skipjack.dashboard..", "jakarta.servlet..");

  /** An application whose tables are migrated elsewhere needs no Flyway. */
  @ArchTest
  static final ArchRule onlyItsConfigurationUsesFlyway =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("SkipjackFlyway")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.flywaydb..");

  @ArchTest
  static final ArchRule starterContainsNoSql =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("org.jooq..");
}
