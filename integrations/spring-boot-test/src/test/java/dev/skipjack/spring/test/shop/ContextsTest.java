package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.spring.test.JobMode;
import dev.skipjack.spring.test.SkipjackTest;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.testkit.TestQueue;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

/** Creates the contexts of test classes without running their tests. */
@QueueTest
class ContextsTest {

  @SpringBootTest(
      classes = ShopApplication.class,
      properties = {
        "shop.name=one",
        "spring.datasource.username=shop",
        "spring.datasource.password=secret"
      })
  @AutoConfigureSkipjack
  static class One {}

  @SpringBootTest(classes = ShopApplication.class, properties = "shop.name=other")
  static class Other {}

  @SpringBootTest(
      classes = ShopApplication.class,
      properties = "spring.datasource.url=skipjack:embeded")
  static class WrongUrl {}

  @Configuration
  static class Empty {}

  @SpringBootTest(classes = Empty.class)
  @AutoConfigureSkipjack
  static class NoQueue {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Queues {
    @Bean
    JobQueue ordersQueue(DataSource dataSource) {
      return JobQueue.on(dataSource);
    }

    @Bean
    JobQueue mailsQueue(DataSource dataSource) {
      return JobQueue.on(dataSource);
    }
  }

  @SpringBootTest(classes = Queues.class)
  @AutoConfigureSkipjack
  static class TwoQueues {}

  @SpringBootTest(classes = ShopApplication.class, properties = "skipjack.worker.enabled=false")
  @AutoConfigureSkipjack
  static class NoWorker {}

  @SkipjackTest(handlers = Registration.class)
  static class NoHandler {}

  @TestConfiguration(proxyBeanMethods = false)
  static class OwnDataSource {
    private static @Nullable QueueDatabase database;

    @Bean
    DataSource dataSource() {
      return Objects.requireNonNull(database, "set by the test").newDataSource(4);
    }
  }

  @SpringBootTest(classes = {ShopApplication.class, OwnDataSource.class})
  @AutoConfigureSkipjack
  static class FromElsewhere {}

  @SpringBootTest(classes = ShopApplication.class, properties = "shop.name=async")
  @AutoConfigureSkipjack(mode = JobMode.ASYNC)
  static class Async {}

  private static TestContext test(Class<?> testClass) {
    return new TestContextManager(testClass).getTestContext();
  }

  private static ApplicationContext context(Class<?> testClass) {
    return test(testClass).getApplicationContext();
  }

  private static String database(ApplicationContext context) {
    return String.valueOf(
        new JdbcTemplate(context.getBean(DataSource.class))
            .queryForObject("SELECT current_database()", String.class));
  }

  @Test
  void eachContextHasItsOwnEmbeddedDatabaseAndDropsItWhenItIsClosed() {
    TestContext one = test(One.class);
    ApplicationContext other = context(Other.class);
    String name = database(one.getApplicationContext());
    assertThat(name).startsWith("skipjack_test_").isNotEqualTo(database(other));

    one.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);

    assertThat(
            new JdbcTemplate(other.getBean(DataSource.class))
                .queryForList(
                    "SELECT datname FROM pg_database WHERE datname IN (?, ?)",
                    String.class,
                    name,
                    database(other)))
        .containsExactly(database(other));
  }

  @Test
  void workerIsStoppedBetweenClasses() throws Exception {
    TestContextManager test = new TestContextManager(Async.class);
    SkipjackWorker worker =
        test.getTestContext().getApplicationContext().getBean(SkipjackWorker.class);
    assertThat(worker.isRunning()).isTrue();
    test.afterTestClass();
    assertThat(worker.isRunning()).isFalse();
    test.beforeTestClass();
    assertThat(worker.isRunning()).isTrue();
    test.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
  }

  @Test
  void unknownUrlIsRejected() {
    assertThatThrownBy(() -> context(WrongUrl.class))
        .rootCause()
        .hasMessage(
            "spring.datasource.url=skipjack:embeded is unknown. Set"
                + " spring.datasource.url=skipjack:embedded for a database of the tests, or a URL"
                + " that begins with jdbc:postgresql:.");
  }

  @Test
  void annotationNeedsAQueue() {
    assertThatThrownBy(() -> context(NoQueue.class))
        .rootCause()
        .hasMessage(
            "@AutoConfigureSkipjack found no queue in the application. Add"
                + " skipjack-spring-boot-starter, a DataSource and @EnableAutoConfiguration,"
                + " or remove the annotation.");
  }

  @Test
  void annotationNeedsASingleQueue() {
    assertThatThrownBy(() -> context(TwoQueues.class))
        .rootCause()
        .hasMessage(
            "@AutoConfigureSkipjack needs a single queue, but the application has 2: ordersQueue,"
                + " mailsQueue. Mark the one that the test uses with @Primary.");
  }

  @Test
  void runsNeedAWorker() {
    JobRuns runs = context(NoWorker.class).getBean(JobRuns.class);
    assertThatThrownBy(runs::due)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("skipjack.worker.enabled=false");
  }

  @Test
  void runsNeedAHandler() {
    JobRuns runs = context(NoHandler.class).getBean(JobRuns.class);
    assertThatThrownBy(runs::due)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no bean in this test has a @JobHandler method");
  }

  /** Enqueues while the context starts, before the beans of the test are created. */
  @TestConfiguration(proxyBeanMethods = false)
  static class EnqueuesAtStart implements InitializingBean {
    @Autowired private Jobs jobs;

    @Override
    public void afterPropertiesSet() {
      jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome("administrator"));
    }
  }

  @SpringBootTest(classes = {ShopApplication.class, EnqueuesAtStart.class})
  @AutoConfigureSkipjack
  static class EnqueuedAtStart {}

  @Test
  void jobsThatTheApplicationEnqueuesAtItsStartAreDeleted() throws Exception {
    TestContextManager test = new TestContextManager(EnqueuedAtStart.class);
    TestQueue queue = test.getTestContext().getApplicationContext().getBean(TestQueue.class);
    assertThat(queue).hasExactly(1);

    test.afterTestClass();

    assertThat(queue).hasNoJobs();
    test.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
  }

  @Test
  void jobsOfAnotherDatabaseAreNotDeleted(QueueDatabase database) throws Exception {
    OwnDataSource.database = database;
    JobQueue.on(database.dataSource()).enqueue(Mails.SEND_WELCOME, new SendWelcome("foreign"));
    TestContextManager test = new TestContextManager(FromElsewhere.class);
    ApplicationContext context = test.getTestContext().getApplicationContext();
    assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
    context.getBean(Jobs.class).enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
    assertThat(context.getBean(TestQueue.class)).hasExactly(2);

    assertThatThrownBy(test::afterTestClass)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The queue had jobs before the application started");

    assertThat(context.getBean(TestQueue.class)).hasExactly(2);
    test.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
  }
}
