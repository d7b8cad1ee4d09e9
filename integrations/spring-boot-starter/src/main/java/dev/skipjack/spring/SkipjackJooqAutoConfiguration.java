package dev.skipjack.spring;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Delays the creation of Spring Boot's jOOQ beans until another bean needs them.
 *
 * <p>This starter uses jOOQ, and Spring Boot 3 configures a {@code DSLContext} of the application
 * as soon as jOOQ is on the class path. Creating it takes a fifth of the start time of a small
 * application, connects to the database, and fails if there are several data sources. Many
 * applications do not use these beans. Spring Boot 4 configures jOOQ only through a starter of its
 * own.
 */
@AutoConfiguration
@ConditionalOnClass(name = SkipjackJooqAutoConfiguration.OF_SPRING_BOOT)
public class SkipjackJooqAutoConfiguration {

  static final String OF_SPRING_BOOT =
      "org.springframework.boot.autoconfigure.jooq.JooqAutoConfiguration";

  @Bean
  static BeanFactoryPostProcessor skipjackLazyJooq() {
    return SkipjackJooqAutoConfiguration::makeLazy;
  }

  private static void makeLazy(ConfigurableListableBeanFactory beans) {
    for (String name : beans.getBeanDefinitionNames()) {
      BeanDefinition bean = beans.getBeanDefinition(name);
      String factory = bean.getFactoryBeanName();
      if (factory != null && factory.startsWith(OF_SPRING_BOOT)) {
        bean.setLazyInit(true);
        // Spring looks for @EventListener methods in the types of all beans. These have no such
        // method, but Spring would load the several hundred classes in the signatures of their
        // methods.
        bean.setAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE, Object.class);
      }
    }
  }
}
