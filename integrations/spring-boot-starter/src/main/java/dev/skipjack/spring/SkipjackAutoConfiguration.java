package dev.skipjack.spring;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.handlers.HandlerTransactions;
import dev.skipjack.store.jooq.JobQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Configures the queue, {@link Jobs} and the worker if there is a {@code DataSource}.
 *
 * <p>With {@code skipjack.enabled=false}, the starter configures nothing. It still keeps Spring
 * Boot from setting up Flyway and jOOQ, which the starter brings, unless the application uses them.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
    })
@ConditionalOnBean(DataSource.class)
@Conditional(OnEnabled.Starter.class)
@EnableConfigurationProperties(SkipjackProperties.class)
public class SkipjackAutoConfiguration {

  // This bean is lazy, because an application that defines its own queues need not choose a data
  // source.
  @Bean
  @Lazy
  RawDataSource skipjackDataSource(
      ObjectProvider<DataSource> all,
      @SkipjackDataSource ObjectProvider<DataSource> marked,
      ConfigurableListableBeanFactory beans) {
    DataSource chosen = marked.getIfUnique(all::getIfUnique);
    if (chosen == null) {
      throw new IllegalStateException(
          "The application has several data sources: %s. Mark the one whose database contains the queue with @SkipjackDataSource or @Primary."
              .formatted(String.join(", ", beans.getBeanNamesForType(DataSource.class))));
    }
    return new RawDataSource(RawDataSource.of(chosen));
  }

  @Bean
  static TransactionManagerListeners skipjackTransactionManagerListeners() {
    return new TransactionManagerListeners();
  }

  @Bean
  Preparation skipjackPreparation() {
    return new Preparation();
  }

  // Runs after the application's own migrations, which may create the schema or the queue's tables.
  @Bean
  @ConditionalOnMissingBean
  @DependsOnDatabaseInitialization
  JobQueue jobQueue(
      RawDataSource dataSource,
      SkipjackProperties properties,
      ObjectProvider<PayloadCodec> codecs,
      ObjectProvider<EnqueueInterceptor> interceptors,
      Preparation preparation,
      ConfigurableListableBeanFactory beans) {
    JobQueue.Builder builder =
        JobQueue.builder(dataSource.dataSource())
            .schema(properties.schema())
            .prepareIn(preparation::execute);
    PayloadCodec codec = codecs.getIfAvailable();
    if (codec == null) {
      requireJackson2(beans.getBeanClassLoader());
    } else {
      builder.codec(codec);
    }
    interceptors.orderedStream().forEach(builder::interceptor);
    JobQueue queue = builder.build();
    SkipjackSchema.prepare(
        dataSource.dataSource(), properties.schema(), properties.migrate(), queue.schemaVersion());
    return queue;
  }

  private static void requireJackson2(@Nullable ClassLoader classes) {
    if (!ClassUtils.isPresent("com.fasterxml.jackson.databind.json.JsonMapper", classes)) {
      throw new IllegalStateException(
          "Payloads cannot be converted to JSON, because Jackson is not on the class path. Add the"
              + " dependency com.fasterxml.jackson.core:jackson-databind for Jackson 2 or"
              + " tools.jackson.core:jackson-databind for Jackson 3, or define a PayloadCodec"
              + " bean.");
    }
  }

  // This bean is primary, because the queue implements JobEnqueuer too.
  @Bean
  @Primary
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(JobQueue.class)
  Jobs jobs(JobQueue queue, SkipjackProperties properties, HandledTypes handled) {
    return new Jobs(queue, queue.dataSource(), properties.enqueue().transaction(), handled);
  }

  @Bean
  @Lazy(false)
  HandledTypes skipjackHandledTypes(
      ConfigurableListableBeanFactory beans, SkipjackProperties properties) {
    return new HandledTypes(
        new HandlerBeans(beans)::types, types -> properties.served(types).keySet());
  }

  // This bean is lazy, because an application without transactional handlers needs no transaction
  // manager.
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  HandlerTransactions skipjackHandlerTransactions(
      ObjectProvider<JobQueue> queues,
      ObjectProvider<RawDataSource> chosen,
      ConfigurableListableBeanFactory beans) {
    JobQueue queue = queues.getIfUnique();
    DataSource dataSource =
        queue == null ? chosen.getObject().dataSource() : RawDataSource.of(queue.dataSource());
    return new SpringTransactions(new TransactionManagers(beans).of(dataSource), dataSource);
  }

  @Bean
  @Lazy(false)
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @Conditional(OnEnabled.Worker.class)
  SkipjackWorker skipjackWorker(
      JobQueue queue,
      SkipjackProperties properties,
      ConfigurableListableBeanFactory beans,
      Environment environment,
      HandledTypes handled) {
    QueueNames.requireBrackets(environment);
    return new SkipjackWorker(queue, properties, beans, environment, handled);
  }
}
