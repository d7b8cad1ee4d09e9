package dev.skipjack.spring;

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
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.springframework.boot.actuate..",
              "org.springframework.boot.health..",
              "org.springframework.boot.autoconfigure.flyway..",
              "org.springframework.boot.autoconfigure.jdbc..",
              "org.springframework.boot.autoconfigure.transaction..");

  @ArchTest
  static final ArchRule starterContainsNoSql =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("org.jooq..");
}
