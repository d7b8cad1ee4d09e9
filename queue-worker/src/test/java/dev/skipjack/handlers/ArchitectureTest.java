package dev.skipjack.handlers;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.handlers",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule handlersNeedNoFramework =
      classes()
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  "java..",
                  "org.jspecify..",
                  "dev.skipjack.api..",
                  "dev.skipjack.worker..",
                  "dev.skipjack.handlers.."));
}
