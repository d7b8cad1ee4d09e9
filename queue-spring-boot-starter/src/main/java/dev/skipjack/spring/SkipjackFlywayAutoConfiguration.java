package dev.skipjack.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;

/**
 * Keeps Spring Boot's Flyway away from the database of an application that has no Flyway migrations
 * of its own.
 *
 * <p>This starter uses Flyway, and Spring Boot 3 configures a Flyway of the application as soon as
 * its classes are on the class path. Without migrations, that Flyway would create an empty history
 * table in the application's schema, or fail because the schema is not empty. Spring Boot 4 does
 * not have the class in the condition and configures Flyway only through a starter of its own.
 */
@AutoConfiguration(
    beforeName = "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration")
@ConditionalOnClass(
    name = {
      "org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy",
      "org.flywaydb.core.Flyway"
    })
public class SkipjackFlywayAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  FlywayMigrationStrategy skipjackFlywayMigrationStrategy() {
    return flyway -> {
      if (flyway.info().all().length > 0) {
        flyway.migrate();
      }
    };
  }
}
