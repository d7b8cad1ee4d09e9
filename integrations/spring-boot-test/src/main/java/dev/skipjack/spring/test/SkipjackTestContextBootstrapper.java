package dev.skipjack.spring.test;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds the application's configuration as {@code @SpringBootTest} does. */
final class SkipjackTestContextBootstrapper extends SpringBootTestContextBootstrapper {

  @Override
  protected String @Nullable [] getProperties(Class<?> testClass) {
    SkipjackTest slice =
        TestContextAnnotationUtils.findMergedAnnotation(testClass, SkipjackTest.class);
    return slice == null ? null : slice.properties();
  }
}
