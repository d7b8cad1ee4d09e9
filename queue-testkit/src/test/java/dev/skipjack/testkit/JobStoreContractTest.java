package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class JobStoreContractTest {

  /** A group of tests that is not nested in the contract would never run. */
  @Test
  void everyPartRunsOnce() {
    List<String> parts =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.skipjack.testkit")
                .stream()
                .filter(
                    type ->
                        type.getRawSuperclass().filter(JobStoreContractTest::isBase).isPresent())
                .map(JavaClass::getName)
                .toList();

    assertThat(parts).isNotEmpty();
    assertThat(
            Arrays.stream(JobStoreContract.class.getDeclaredClasses())
                .filter(nested -> nested.isAnnotationPresent(Nested.class))
                .map(nested -> nested.getSuperclass().getName()))
        .containsExactlyInAnyOrderElementsOf(parts);
  }

  private static boolean isBase(JavaClass type) {
    return type.isEquivalentTo(Promises.class) || type.isEquivalentTo(AttemptPromises.class);
  }
}
