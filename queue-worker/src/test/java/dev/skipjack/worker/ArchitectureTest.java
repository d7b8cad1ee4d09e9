package dev.skipjack.worker;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.sql.Connection;

@AnalyzeClasses(
    packages = "dev.skipjack.worker",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule workerKnowsNoTables =
      classes()
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage("java..", "org.slf4j..", "org.jspecify..")
                  .or(resideInAnyPackage("dev.skipjack.api..", "dev.skipjack.worker..")));

  @ArchTest
  static final ArchRule noSqlButTheConnectionThatTheHandlerHandsOn =
      noClasses()
          .that()
          .doNotHaveSimpleName("JobContext")
          .and()
          .doNotHaveSimpleName("AttemptContext")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "javax.sql..");

  @ArchTest
  static final ArchRule handlersSeeAConnectionAndNothingElseOfSql =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("java.sql..").and(not(name(Connection.class.getName()))));

  /** Without cycles, each file can be read after the files that it refers to. */
  @ArchTest
  static final ArchRule topLevelClassesFormNoCycle =
      slices()
          .assignedFrom(new ByTopLevelClass())
          .should()
          .beFreeOfCycles()
          // A queue counts its running attempts, and an attempt reports its end to its queue.
          .ignoreDependency(Attempt.class, ServedQueue.class);

  private static final class ByTopLevelClass implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      JavaClass topLevel = javaClass;
      while (topLevel.getEnclosingClass().isPresent()) {
        topLevel = topLevel.getEnclosingClass().get();
      }
      return SliceIdentifier.of(topLevel.getName());
    }

    @Override
    public String getDescription() {
      return "top-level classes";
    }
  }

  @ArchTest
  static void everyEventIsEmitted(JavaClasses worker) {
    for (Class<?> event : WorkerEvent.class.getPermittedSubclasses()) {
      assertThat(worker.get(event).getConstructorCallsToSelf()).as("%s", event).isNotEmpty();
    }
  }

  @ArchTest
  static void everyMeterIsMeasured(JavaClasses worker) {
    JavaClass meters = worker.get(WorkerMeter.class);
    for (WorkerMeter meter : WorkerMeter.values()) {
      assertThat(meters.getField(meter.name()).getAccessesToSelf())
          .as("%s", meter)
          .anyMatch(access -> !access.getOriginOwner().equals(meters));
    }
  }
}
