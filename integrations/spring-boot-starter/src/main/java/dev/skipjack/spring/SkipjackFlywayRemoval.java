package dev.skipjack.spring;

import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.api.migration.JavaMigration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.flyway.FlywayConfigurationCustomizer;
import org.springframework.boot.autoconfigure.flyway.FlywayDataSource;
import org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Removes the Flyway that Spring Boot 3 has configured, unless the application uses it. An
 * application that uses it has a {@code spring.flyway} property, files in the default location of
 * migrations, or a bean that only Flyway needs.
 *
 * <p>Removes bean definitions, before other post-processors make beans depend on those of Flyway.
 */
final class SkipjackFlywayRemoval implements BeanDefinitionRegistryPostProcessor {

  private static final Logger LOG = LoggerFactory.getLogger(SkipjackFlywayRemoval.class);

  private static final String AUTO_CONFIGURATION =
      "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration";

  private static final String DEFAULT_LOCATION = "db/migration";

  private static final List<Class<?>> EXTENSIONS =
      List.of(
          JavaMigration.class, FlywayConfigurationCustomizer.class, FlywayMigrationStrategy.class);

  private final Environment environment;

  SkipjackFlywayRemoval(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory beans
        && isOfSpringBoot(beans, "flyway")
        && !isUsed(beans)) {
      registry.removeBeanDefinition("flyway");
      if (isOfSpringBoot(beans, "flywayInitializer")) {
        registry.removeBeanDefinition("flywayInitializer");
      }
      LOG.info(
          "Spring Boot's Flyway not started, because the application has no spring.flyway property,"
              + " no directory db/migration and no bean for Flyway");
    }
  }

  private boolean isUsed(ConfigurableListableBeanFactory beans) {
    return Binder.get(environment)
            .bind("spring.flyway", Bindable.mapOf(String.class, Object.class))
            .isBound()
        || classes(beans).getResource(DEFAULT_LOCATION) != null
        || beans.getBeanNamesForAnnotation(FlywayDataSource.class).length > 0
        || EXTENSIONS.stream()
            .flatMap(type -> Arrays.stream(beans.getBeanNamesForType(type, true, false)))
            .anyMatch(name -> !isOfSpringBoot(beans, name));
  }

  /**
   * Returns whether Spring Boot's configuration of Flyway defines a bean. Some of its beans are
   * customizers.
   */
  private static boolean isOfSpringBoot(ConfigurableListableBeanFactory beans, String name) {
    String factory =
        beans.containsBeanDefinition(name)
            ? beans.getBeanDefinition(name).getFactoryBeanName()
            : null;
    return factory != null && factory.startsWith(AUTO_CONFIGURATION);
  }

  private static ClassLoader classes(ConfigurableListableBeanFactory beans) {
    ClassLoader ofBeans = beans.getBeanClassLoader();
    return ofBeans == null ? ClassUtils.getDefaultClassLoader() : ofBeans;
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {}
}
