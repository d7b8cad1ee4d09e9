package dev.skipjack.spring.test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.spring.test",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** All classes must be loadable with both versions, because Spring Boot 4 has moved classes. */
  @ArchTest
  static final ArchRule classesOfOneVersionOfSpringBootAreNotUsed =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.springframework.boot.test.autoconfigure..",
              "org.springframework.boot.test.context.filter.annotation..",
              "org.springframework.boot.autoconfigure.flyway..",
              "org.springframework.boot.autoconfigure.jdbc..",
              "org.springframework.boot.autoconfigure.transaction..");

  @ArchTest
  static final ArchRule moduleContainsNoSql =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("org.jooq..");
}
