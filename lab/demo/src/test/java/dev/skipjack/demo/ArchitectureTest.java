package dev.skipjack.demo;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.demo",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** The demo shows what an application can do, so it must use only the API for applications. */
  @ArchTest
  static final ArchRule theDemoUsesWhatApplicationsMayUse =
      noClasses().should().dependOnClassesThat().resideInAPackage("dev.skipjack..spi..");
}
