package dev.skipjack.spring.test;

import dev.skipjack.testkit.QueueDatabase;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Replaces the URL {@code skipjack:embedded} with the URL of a new database, which is dropped when
 * the context is closed.
 */
record EmbeddedDatabaseContextCustomizer() implements ContextCustomizer {

  private static final Logger LOG =
      LoggerFactory.getLogger(EmbeddedDatabaseContextCustomizer.class);

  private static final String PROPERTY = "spring.datasource.url";
  private static final String PREFIX = "skipjack:";
  private static final String EMBEDDED = "skipjack:embedded";

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    String url = context.getEnvironment().getProperty(PROPERTY);
    if (url == null || !url.startsWith(PREFIX)) {
      return;
    }
    if (!url.equals(EMBEDDED)) {
      throw new IllegalArgumentException(
          "%s=%s is unknown. Set %s=%s for a database of the tests, or a URL that begins with jdbc:postgresql:."
              .formatted(PROPERTY, url, PROPERTY, EMBEDDED));
    }
    QueueDatabase database = QueueDatabase.create();
    String name = QueueDatabase.class.getName();
    context.getBeanFactory().registerSingleton(name, database);
    // Beans are destroyed in the reverse order of their registration, so the application's pool is
    // closed before the database.
    ((DefaultSingletonBeanRegistry) context.getBeanFactory())
        .registerDisposableBean(name, () -> close(database));
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource(EMBEDDED, Map.of(PROPERTY, database.jdbcUrl())));
  }

  private static void close(QueueDatabase database) {
    try {
      database.close();
    } catch (IllegalStateException refused) {
      // At the end of the JVM, the server may already have been stopped.
      LOG.debug("Test database not dropped", refused);
    }
  }
}
