package dev.skipjack.api;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.skipjack.api", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule apiIsFreeOfJooq =
      noClasses().should().dependOnClassesThat().resideInAPackage("org.jooq..");

  @ArchTest
  static final ArchRule apiDependsOnTheJdkAndJspecifyAlone =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.skipjack.api..", "java..", "org.jspecify..");
}
