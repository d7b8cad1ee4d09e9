package dev.skipjack.dashboard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "dev.skipjack.dashboard",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule dashboardHasNoSqlOfItsOwn =
      noClasses()
          .that()
          .doNotHaveSimpleName("TimedDataSource")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.jooq..",
              "dev.skipjack.model..",
              "dev.skipjack.sql..",
              "dev.skipjack.operations..")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.sql.Connection");

  @ArchTest
  static final ArchRule dashboardKnowsNeitherWorkerNorTestkit =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.skipjack.worker..", "dev.skipjack.testkit..");

  @ArchTest
  static final ArchRule onlyTheDoorsKnowTheirServers =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("DashboardServer")
          .and()
          .doNotHaveSimpleName("DashboardServlet")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.sun.net.httpserver..", "jakarta.servlet..");

  @ArchTest
  static final ArchRule pagesReadOnlyWhatTheirVisitorMaySee =
      noClasses()
          .that()
          .doNotBelongToAnyOf(
              Reads.class,
              VisibleReads.class,
              Visit.class,
              Services.class,
              Route.class,
              Dashboard.class)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(Reads.class);
}
