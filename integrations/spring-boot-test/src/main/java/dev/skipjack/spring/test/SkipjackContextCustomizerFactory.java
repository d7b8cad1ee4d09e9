package dev.skipjack.spring.test;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Prepares the contexts of test classes with {@link AutoConfigureSkipjack}. */
final class SkipjackContextCustomizerFactory implements ContextCustomizerFactory {

  @Override
  public @Nullable ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
    AutoConfigureSkipjack found =
        TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureSkipjack.class);
    if (found == null) {
      return null;
    }
    SkipjackTest slice =
        TestContextAnnotationUtils.findMergedAnnotation(testClass, SkipjackTest.class);
    return new SkipjackContextCustomizer(
        found.mode(), slice == null ? null : new HandlerFilter(Set.of(slice.handlers())));
  }
}
