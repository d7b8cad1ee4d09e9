package dev.skipjack.spring.test;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Adds the beans of a mode to a context. Contexts are cached by the equality of their customizers.
 *
 * @param slice the filter of a context that contains only handlers, or null for a whole application
 */
record SkipjackContextCustomizer(JobMode mode, @Nullable HandlerFilter slice)
    implements ContextCustomizer {

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    Map<String, Object> properties = new LinkedHashMap<>();
    if (mode != JobMode.ASYNC) {
      properties.put("skipjack.worker.auto-startup", false);
      properties.put("skipjack.outbox.relay.auto-startup", false);
    }
    if (slice != null) {
      properties.put(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, false);
      context.getBeanFactory().registerSingleton(HandlerFilter.class.getName(), slice);
    }
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("skipjackTest", properties));
    register(context, SkipjackTestConfiguration.class);
    if (mode != JobMode.ASYNC) {
      register(context, RunsConfiguration.class);
    }
    if (mode == JobMode.INLINE) {
      register(context, InlineConfiguration.class);
    }
  }

  private static void register(ConfigurableApplicationContext context, Class<?> configuration) {
    ((BeanDefinitionRegistry) context.getBeanFactory())
        .registerBeanDefinition(configuration.getName(), new RootBeanDefinition(configuration));
  }
}
