package dev.skipjack.torture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.torture",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** Producers and workers must use only the API that applications use. */
  @ArchTest
  static final ArchRule producersAndWorkersUseNoSpi =
      noClasses().should().dependOnClassesThat().resideInAPackage("dev.skipjack..spi..");
}
