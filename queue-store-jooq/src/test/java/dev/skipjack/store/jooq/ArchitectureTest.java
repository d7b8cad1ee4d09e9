package dev.skipjack.store.jooq;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.skipjack.api.PayloadCodec;
import org.jooq.Select;
import org.jooq.impl.DSL;

@AnalyzeClasses(
    packages = {"dev.skipjack.store", "dev.skipjack.operations", "dev.skipjack.sql"},
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule conditionsDoNotDependOnTheVersionOfJooq =
      noClasses()
          .should()
          .callMethod(DSL.class, "exists", Select.class)
          .orShould()
          .callMethod(DSL.class, "notExists", Select.class)
          .because("jOOQ 3.21 does not have these methods; use Existence");

  @ArchTest
  static final ArchRule storeKnowsNeitherWorkerNorDedupNorTestkit =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.skipjack.worker..",
              "dev.skipjack.dedup..",
              "dev.skipjack.testkit..",
              "dev.skipjack.embedded..");

  @ArchTest
  static final ArchRule onlyTheDoorIsPublic =
      classes()
          .that()
          .resideInAPackage("dev.skipjack.store.jooq")
          .and(not(simpleName("JobQueue")))
          .and(not(simpleName("Builder")))
          .and(not(simpleName("DeferredWakeUps")))
          .and(not(simpleName("FollowedTransaction")))
          .and(not(simpleName("package-info")))
          .should()
          .notBePublic();

  @ArchTest
  static final ArchRule extensionPointsDoNotReachInside =
      noClasses()
          .that()
          .resideInAPackage("dev.skipjack.store.jooq.internal..")
          .should()
          .dependOnClassesThat(resideInAPackage("dev.skipjack.store.jooq"));

  @ArchTest static final ArchRule sqlDependsOnTheModelAlone = dependsOnSqlAlone("dev.skipjack.sql");

  @ArchTest
  static final ArchRule historyDependsOnSqlAlone =
      dependsOnSqlAlone("dev.skipjack.store.jooq.internal.history");

  @ArchTest
  static final ArchRule readDependsOnSqlAlone = dependsOnSqlAlone("dev.skipjack.operations.read");

  @ArchTest
  static final ArchRule diagnosisDependsOnSqlAlone =
      dependsOnSqlAlone("dev.skipjack.operations.diagnosis");

  @ArchTest
  static final ArchRule bulkDependsOnSqlAlone = dependsOnSqlAlone("dev.skipjack.operations.bulk");

  @ArchTest
  static final ArchRule schedulesDependOnSqlAndTheEnqueueOfJobsAlone =
      dependsOnSqlAlone(
          "dev.skipjack.store.jooq.internal.schedule",
          "dev.skipjack.store.jooq.internal",
          "dev.skipjack.store.jooq.internal.ordering");

  @ArchTest
  static final ArchRule orderingDependsOnSqlAlone =
      dependsOnSqlAlone("dev.skipjack.store.jooq.internal.ordering");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("dev.skipjack.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyTheReaderOfTheReadSideIsPublic =
      classes()
          .that()
          .resideInAPackage("dev.skipjack.operations.read")
          .and(not(simpleName("JooqJobReader")))
          .and(not(simpleName("package-info")))
          .should()
          .notBePublic();

  @ArchTest
  static final ArchRule codecsAreInThePackageOfPayloads =
      classes()
          .that()
          .implement(PayloadCodec.class)
          .should()
          .resideInAPackage("dev.skipjack.store.jooq.internal.payload");

  @ArchTest
  static final ArchRule payloadsKnowNoSql =
      noClasses()
          .that()
          .resideInAPackage("dev.skipjack.store.jooq.internal.payload")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.jooq..", "dev.skipjack.model..");

  @ArchTest
  static final ArchRule jacksonStaysBehindTheCodec =
      noClasses()
          .that(not(nameMatching(".*\\.Jackson(Codec|Readability)(\\$.*)?")))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.fasterxml..");

  @ArchTest
  static final ArchRule hikariIsReachedThroughOneNestedClassEach =
      noClasses()
          .that(not(simpleName("Hikari")))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.zaxxer..");

  /**
   * @param more packages on which it may depend as well
   */
  private static ArchRule dependsOnSqlAlone(String name, String... more) {
    return classes()
        .that()
        .resideInAPackage(name)
        .should()
        .onlyDependOnClassesThat(
            not(resideInAPackage("dev.skipjack.."))
                .or(
                    resideInAnyPackage(
                        name, "dev.skipjack.sql", "dev.skipjack.api..", "dev.skipjack.model.."))
                .or(resideInAnyPackage(more)));
  }
}
