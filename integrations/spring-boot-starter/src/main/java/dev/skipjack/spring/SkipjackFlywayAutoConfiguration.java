package dev.skipjack.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Removes Spring Boot's Flyway from an application that does not use it.
 *
 * <p>This starter uses Flyway, and Spring Boot 3 configures a Flyway of the application as soon as
 * its classes are on the class path. In an application without migrations, that Flyway would create
 * an empty history table in the application's schema. It would fail if the schema is not empty, if
 * there are several data sources, or if it does not support the application's database. Spring Boot
 * 4 configures Flyway only through a starter of its own.
 */
@AutoConfiguration
@ConditionalOnClass(
    name = {
      "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
      "org.flywaydb.core.Flyway"
    })
public class SkipjackFlywayAutoConfiguration {

  @Bean
  static SkipjackFlywayRemoval skipjackFlywayRemoval(Environment environment) {
    return new SkipjackFlywayRemoval(environment);
  }
}
