package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobType;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The tests of the starter's configuration that every version of Spring Boot must pass. Subclasses
 * add the classes of health and of Flyway, which the versions have in different packages.
 */
@QueueTest
abstract class AutoConfigurationContract {

  final QueueDatabase database;
  final ApplicationContextRunner contexts;

  AutoConfigurationContract(QueueDatabase database) {
    this.database = database;
    this.contexts = Contexts.on(database);
  }

  /** Returns the configurations of the actuator's health endpoint and its probes. */
  abstract AutoConfigurations healthEndpoint();

  /** Returns the interface of all health indicators. */
  abstract Class<?> healthIndicator();

  /** Returns the status code of a bean that is a health indicator. */
  abstract String status(Object indicator);

  /** Returns the details of a bean that is a health indicator. */
  abstract Map<String, Object> details(Object indicator);

  /** Returns the status code of a group of the health endpoint. */
  abstract String groupStatus(ApplicationContext context, String group);

  /**
   * Returns a runner with Spring Boot's Flyway, which runs {@code migrations} instead of its own.
   */
  abstract ApplicationContextRunner withFlyway(Runnable migrations);

  @Test
  void configuresQueueJobsAndWorker() {
    contexts
        .withBean(Mails.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(JobQueue.class);
              assertThat(context.getBean(JobEnqueuer.class)).isSameAs(context.getBean(Jobs.class));
              assertThat(context.getBean(SkipjackWorker.class).worker()).isPresent();
            });
  }

  @Test
  void backsOffWithoutADataSource() {
    Contexts.withoutDataSource()
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(JobQueue.class)
                    .doesNotHaveBean(SkipjackWorker.class)
                    .doesNotHaveBean(healthIndicator()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "FALSE", "off", "no"})
  void disabledWorkerIsNotStarted(String disabled) {
    contexts
        .withBean(Mails.class)
        .withPropertyValues("skipjack.worker.enabled=" + disabled)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Jobs.class)
                    .doesNotHaveBean(SkipjackWorker.class));
  }

  @Test
  void nothingIsConfiguredIfSkipjackIsDisabled() {
    contexts
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues(
            "skipjack.enabled=off", "management.endpoints.web.exposure.include=skipjack")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              // Without these, Spring Boot would configure libraries that the application has only
              // because of the starter.
              assertThat(context.getBeanDefinitionNames())
                  .filteredOn(name -> name.startsWith("skipjack"))
                  .allMatch(name -> name.endsWith("FlywayRemoval") || name.endsWith("LazyJooq"));
              assertThat(context).doesNotHaveBean(Jobs.class).doesNotHaveBean(JobQueue.class);
            });
  }

  @Test
  void noWorkerStartsWithoutAHandler() {
    contexts.run(
        context -> {
          assertThat(context.getBean(SkipjackWorker.class).worker()).isEmpty();
          assertThat(details(indicator(context))).containsOnly(entry("worker", "none"));
          assertThat(status(indicator(context))).isEqualTo("UP");
        });
  }

  @Test
  void aQueueOfTheApplicationIsUsed() {
    JobQueue own = JobQueue.on(database.dataSource());
    contexts
        .withBean("own", JobQueue.class, () -> own)
        .run(context -> assertThat(context.getBean(JobQueue.class)).isSameAs(own));
  }

  @Test
  void healthIsReportedIfTheActuatorIsPresent() {
    contexts
        .withBean(Mails.class)
        .run(
            context -> {
              Object indicator = indicator(context);
              await().atMost(Duration.ofSeconds(60)).until(() -> status(indicator), "UP"::equals);
              assertThat(details(indicator))
                  .containsEntry("worker", "started")
                  .containsEntry("alive", true);
              context.getBean(SkipjackWorker.class).worker().orElseThrow().stop();
              assertThat(status(indicator)).isEqualTo("DOWN");
            });
  }

  @Test
  void healthOfTheRelayIsReported() {
    contexts.run(
        context -> {
          Object none = context.getBean("skipjackRelayHealthIndicator");
          assertThat(details(none)).containsExactly(entry("relay", "none"));
          assertThat(status(none)).isEqualTo("UP");
        });
    contexts
        .withBean(Publisher.class, () -> Publisher.each(event -> PublishResult.sent()))
        .run(
            context -> {
              Object relay = context.getBean("skipjackRelayHealthIndicator");
              Object liveness = context.getBean("skipjackLivenessHealthIndicator");
              assertThat(details(relay))
                  .containsExactly(entry("relay", "started"), entry("relayAlive", true));
              assertThat(status(relay)).isEqualTo("UP");
              assertThat(status(liveness)).isEqualTo("UP");
              context.getBean(SkipjackRelay.class).relay().orElseThrow().close();
              assertThat(status(relay)).isEqualTo("DOWN");
              assertThat(details(relay)).containsEntry("reasons", List.of("The relay is closed."));
              assertThat(status(liveness)).isEqualTo("DOWN");
              assertThat(details(liveness))
                  .containsEntry("worker", "none")
                  .containsEntry("reasons", List.of("The relay is closed."));
            });
  }

  private static Object indicator(ApplicationContext context) {
    return context.getBean("skipjackHealthIndicator");
  }

  @Test
  void anOutageOfTheDatabaseIsNoReasonToRestartTheProcess() {
    contexts
        .withBean(Mails.class)
        .withConfiguration(healthEndpoint())
        .withPropertyValues(Contexts.PROBES)
        .run(
            context -> {
              Contexts.publishStarted(context);
              await()
                  .atMost(Duration.ofSeconds(60))
                  .untilAsserted(
                      () -> {
                        assertThat(groupStatus(context, "readiness")).isEqualTo("UP");
                        assertThat(groupStatus(context, "liveness")).isEqualTo("UP");
                      });
              context.getBean(HikariDataSource.class).close();
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> groupStatus(context, "readiness"), "DOWN"::equals);
              assertThat(groupStatus(context, "liveness")).isEqualTo("UP");
              context.getBean(SkipjackWorker.class).worker().orElseThrow().stopNow();
              assertThat(groupStatus(context, "liveness")).isEqualTo("DOWN");
            });
  }

  @Test
  void theProbesOfAProducerMayNameTheComponents() {
    contexts
        .withPropertyValues("skipjack.worker.enabled=false")
        .withConfiguration(healthEndpoint())
        .withPropertyValues(Contexts.PROBES)
        .run(
            context -> {
              Contexts.publishStarted(context);
              assertThat(groupStatus(context, "readiness")).isEqualTo("UP");
              assertThat(groupStatus(context, "liveness")).isEqualTo("UP");
            });
  }

  @Test
  void healthIsNotReportedIfThatIsDisabled() {
    contexts
        .withPropertyValues("management.health.skipjack.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(healthIndicator()));
  }

  @Test
  void theHealthOfTheRelayCanBeLeftOut() {
    contexts
        .withPropertyValues("management.health.skipjackRelay.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .hasBean("skipjackHealthIndicator")
                    .hasBean("skipjackLivenessHealthIndicator")
                    .doesNotHaveBean("skipjackRelayHealthIndicator"));
  }

  @Test
  void applicationRunsWithoutTheActuator() {
    contexts
        .withBean(Mails.class)
        .withClassLoader(
            new FilteredClassLoader(
                "org.springframework.boot.actuate", "org.springframework.boot.health"))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(SkipjackWorker.class)
                    .doesNotHaveBean("skipjackHealthIndicator"));
  }

  @Test
  void metricsArePublishedIfThereIsARegistry() {
    contexts
        .withBean(Mails.class)
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(
            context ->
                assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .extracting(meter -> meter.getId().getName())
                    .anyMatch(name -> name.startsWith("skipjack.")));
  }

  @Test
  void metricsAreNotPublishedWithoutARegistry() {
    contexts.run(context -> assertThat(context).doesNotHaveBean(WorkerMetrics.class));
  }

  @Test
  void applicationRunsWithoutMicrometer() {
    contexts
        .withBean(Mails.class)
        .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(WorkerMetrics.class);
              assertThat(context.getBean(SkipjackWorker.class).worker()).isPresent();
            });
  }

  @Test
  void startCreatesTheTables() {
    contexts
        .withPropertyValues("skipjack.migrate=true", "skipjack.schema=created")
        .run(
            context ->
                assertThat(Migrations.version(database.dataSource(), "created"))
                    .hasValue(context.getBean(JobQueue.class).schemaVersion()));
  }

  @Test
  void startFailsWithoutTablesIfTheyAreOnlyValidated() {
    contexts
        .withPropertyValues("skipjack.schema=absent")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("Schema 'absent' contains no queue")
                    .hasMessageContaining("skipjack.migrate=true"));
  }

  @ParameterizedTest
  @CsvSource({"off", "false"})
  void leavesTheTablesAloneIfMigrationsAreOff(String off) {
    contexts
        .withPropertyValues("skipjack.migrate=" + off, "skipjack.schema=untouched")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(Migrations.version(database.dataSource(), "untouched")).isEmpty();
            });
  }

  @Test
  void applicationRunsWithoutFlywayIfTheTablesAreMigratedElsewhere() {
    contexts
        .withBean(Mails.class)
        .withPropertyValues("skipjack.migrate=off")
        .withClassLoader(new FilteredClassLoader("org.flywaydb"))
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(Jobs.class)
                    .doesNotHaveBean("skipjackFlywayRemoval"));
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoDataSources {
    @Bean
    DataSource orders() {
      return Unreachable.dataSource();
    }

    @Bean
    DataSource reports() {
      return Unreachable.dataSource();
    }
  }

  @Test
  void startFailsIfTheDataSourceIsAmbiguous() {
    Contexts.withoutDataSource()
        .withUserConfiguration(TwoDataSources.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessage(
                        "The application has several data sources: orders, reports. Mark the one"
                            + " whose database contains the queue with @SkipjackDataSource or"
                            + " @Primary."));
  }

  @Configuration(proxyBeanMethods = false)
  static class MarkedDataSource {
    @Bean
    @SkipjackDataSource
    DataSource queue(QueueDatabase database) {
      return Contexts.pool(database);
    }
  }

  @Test
  void theMarkedDataSourceIsUsed() {
    Contexts.withoutDataSource()
        .withBean(QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withUserConfiguration(TwoDataSources.class, MarkedDataSource.class)
        .withPropertyValues("skipjack.migrate=validate")
        .run(
            context ->
                assertThat(context.getBean(RawDataSource.class).dataSource())
                    .isSameAs(context.getBean("queue")));
  }

  @Test
  void enqueuesInTransactionsOnTheDataSourceOfTheApplicationsQueue() {
    HikariDataSource ofQueue = Contexts.pool(database);
    Contexts.withoutDataSource()
        .withUserConfiguration(TwoDataSources.class)
        .withBean("ofQueue", DataSource.class, () -> ofQueue)
        .withBean("own", JobQueue.class, () -> JobQueue.on(ofQueue))
        .withPropertyValues("management.info.skipjack.enabled=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasBean("skipjackInfoContributor");
              new TransactionTemplate(new DataSourceTransactionManager(ofQueue))
                  .executeWithoutResult(
                      transaction -> {
                        context
                            .getBean(Jobs.class)
                            .enqueue(Mails.SEND_WELCOME, new SignUps.SendWelcome("ada"));
                        transaction.setRollbackOnly();
                      });
              assertThat(context.getBean(JobQueue.class).reader().counts()).isEmpty();
            });
  }

  @Test
  void theQueueUsesTheDataSourceBehindATransactionAwareProxy() {
    DataSource target = Contexts.pool(database);
    Contexts.withoutDataSource()
        .withBean(
            DataSource.class,
            () -> new TransactionAwareDataSourceProxy(new TransactionAwareDataSourceProxy(target)))
        .withPropertyValues("skipjack.migrate=validate")
        .run(
            context ->
                assertThat(context.getBean(RawDataSource.class).dataSource()).isSameAs(target));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          skipjack.queues.emails.concurrency | 0     | on field 'queues[emails].concurrency' | Concurrency 0 is not in 1..10000.
          skipjack.queues[No].concurrency    | 1     | on field 'queues[No]'                 | Queue name 'No'
          skipjack.queues.eu.mails.concurrency | 5   | 'skipjack.queues.eu.mails'            | skipjack.queues[eu.mails].concurrency
          skipjack.queues.emails.concurency  | 5     | 'skipjack.queues.emails.concurency'   | skipjack.queues[emails.concurency].concurrency
          skipjack.worker.enabled            | maybe | 'skipjack.worker.enabled'             | [maybe]
          skipjack.worker.concurrency        | 10001 | on field 'worker.concurrency'         | Concurrency 10001 is not in 1..10000.
          skipjack.worker.lease              | 40d   | on field 'worker.lease'               | Lease PT960H
          skipjack.worker.poll-interval      | 0s    | on field 'worker.pollInterval'        | Poll interval PT0S
          skipjack.worker.drain-timeout      | 2d    | on field 'worker.drainTimeout'        | Drain timeout PT48H
          skipjack.worker.name               | '  '  | on field 'worker.name'                | The name is blank
          skipjack.observation.child-within  | -1s   | on field 'observation.childWithin'    | Duration PT-1S must not be negative.
          skipjack.dashboard.path            | ops/* | on field 'dashboard.path'             | Path 'ops/*' must be like /skipjack
          skipjack.schema                    | ''    | on field 'schema'                     | Schema
          skipjack.migrate                   | maybe | 'skipjack.migrate'                    | [maybe]
          skipjack.enqueue.transaction       | always| 'skipjack.enqueue.transaction'        | [always]
          """)
  void anInvalidPropertyIsRefusedByName(String property, String value, String name, String reason) {
    contexts
        .withPropertyValues(property + "=" + value)
        .run(
            context -> {
              assertThat(context).hasFailed();
              assertThat(context.getStartupFailure())
                  .hasStackTraceContaining(name)
                  .hasStackTraceContaining(reason);
            });
  }

  @Test
  void servesTheConfiguredQueues() {
    contexts
        .withBean(Mails.class)
        .withPropertyValues(
            "skipjack.queues.emails.concurrency=3", "skipjack.queues[eu.letters].concurrency=2")
        .run(
            context ->
                await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                        () ->
                            assertThat(context.getBean(JobQueue.class).reader().workers())
                                .anySatisfy(
                                    worker ->
                                        assertThat(worker.queues())
                                            .containsExactlyInAnyOrder("emails", "eu.letters"))));
  }

  @Test
  void workerServesTheQueuesOfItsHandlersIfNoneIsConfigured() {
    contexts
        .withBean(Mails.class)
        .withPropertyValues("skipjack.worker.name=unconfigured")
        .run(
            context ->
                await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                        () ->
                            assertThat(context.getBean(JobQueue.class).reader().workers())
                                .filteredOn(worker -> worker.name().equals("unconfigured"))
                                .singleElement()
                                .satisfies(
                                    worker ->
                                        assertThat(worker.queues()).containsExactly("emails"))));
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherType {
    @Bean
    JobType<SignUps.SendWelcome> sendWelcome() {
      return JobType.of("send-welcome", SignUps.SendWelcome.class);
    }
  }

  @Test
  void aJobTypeThatIsDeclaredTwiceIsRefused() {
    contexts
        .withBean(Mails.class)
        .withUserConfiguration(OtherType.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("Mails.send(SendWelcome, JobContext)")
                    .hasMessageContaining("Declare the kind once."));
  }

  @Test
  void tablesAreCheckedAfterTheApplicationsMigrations() {
    withFlyway(() -> Migrations.migrate(database.dataSource(), "migrated_by_the_application"))
        .withPropertyValues(
            "skipjack.migrate=validate", "skipjack.schema=migrated_by_the_application")
        .run(context -> assertThat(context).hasNotFailed());
  }
}
