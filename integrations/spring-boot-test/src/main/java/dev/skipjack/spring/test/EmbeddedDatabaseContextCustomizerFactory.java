package dev.skipjack.spring.test;

import java.util.List;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;

/** Provides contexts with a database if their URL is {@code skipjack:embedded}. */
final class EmbeddedDatabaseContextCustomizerFactory implements ContextCustomizerFactory {

  @Override
  public ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
    return new EmbeddedDatabaseContextCustomizer();
  }
}
