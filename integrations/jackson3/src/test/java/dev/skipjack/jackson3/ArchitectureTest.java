package dev.skipjack.jackson3;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.jackson3",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule onlyJackson3AndTheApiAreNeeded =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.skipjack.jackson3",
              "dev.skipjack.api",
              "tools.jackson..",
              "com.fasterxml.jackson.annotation",
              "java..",
              "org.jspecify.annotations");

  @ArchTest
  static final ArchRule onlyTheCodecIsPublic =
      classes()
          .that()
          .arePublic()
          .should()
          .haveSimpleName("Jackson3Codec")
          .because("everything else may change");
}
