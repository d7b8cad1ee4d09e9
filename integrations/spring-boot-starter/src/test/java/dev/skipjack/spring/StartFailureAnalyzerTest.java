package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobSchedule;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests what Spring Boot prints instead of a stack trace. */
@QueueTest
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("UnusedMethod") // The handlers are found by reflection.
class StartFailureAnalyzerTest {

  static class BadCron {
    @JobHandler(kind = "nightly")
    @JobSchedule(cron = "0 99 * * *")
    void run() {}
  }

  static class PrivateHandler {
    @JobHandler(kind = "hidden")
    @SuppressWarnings("UnusedVariable") // no code calls a private handler
    private void run(String job) {}
  }

  static class WithoutType {
    @JobHandler("typed")
    void run(String job) {}
  }

  static class One {
    @JobHandler(kind = "same")
    void run(String job) {}
  }

  static class Other {
    @JobHandler(kind = "same")
    void run(String job) {}
  }

  private final QueueDatabase database;
  private final ApplicationContextRunner contexts;

  StartFailureAnalyzerTest(QueueDatabase database) {
    this.database = database;
    this.contexts = Contexts.on(database);
  }

  private static @Nullable FailureAnalysis analysisOf(ApplicationContextRunner refused) {
    FailureAnalysis[] analysis = new FailureAnalysis[1];
    refused.run(
        context -> {
          assertThat(context).hasFailed();
          analysis[0] =
              new StartFailureAnalyzer()
                  .analyze(Objects.requireNonNull(context.getStartupFailure()));
        });
    return analysis[0];
  }

  /**
   * @param action the beginning of the fix
   */
  private static void assertAnalysis(
      ApplicationContextRunner refused, String description, String action) {
    FailureAnalysis analysis = analysisOf(refused);
    assertThat(analysis).isNotNull();
    assertThat(analysis.getDescription()).contains(description).endsWith(".");
    assertThat(analysis.getAction()).startsWith(action).endsWith(".");
  }

  @Test
  void incorrectHandlersAreExplained() {
    assertAnalysis(
        contexts.withBean(PrivateHandler.class),
        "PrivateHandler.run(String) of kind 'hidden' is private or static.",
        "Make it an instance method that is visible.");
    assertAnalysis(
        contexts.withBean(One.class).withBean(Other.class),
        "Kind 'same' has two handlers:",
        "Keep one, or give the other a kind of its own.");
    assertAnalysis(
        contexts.withBean(WithoutType.class),
        "WithoutType.run(String) of kind 'typed' finds no job type of the kind,",
        "Name the class that declares the type,");
  }

  /** The description also contains the reason why the value is invalid. */
  @Test
  void invalidSchedulesAreExplained() {
    FailureAnalysis analysis = analysisOf(contexts.withBean(BadCron.class));
    assertThat(analysis).isNotNull();
    assertThat(analysis.getDescription())
        .contains("BadCron.run() of kind 'nightly' has an invalid schedule.")
        .contains("field 2 (hour): 99 is not in 0..23.");
  }

  @Test
  void missingTablesAreExplained() {
    assertAnalysis(
        contexts.withPropertyValues("skipjack.schema=nowhere"),
        "Schema 'nowhere' contains no queue;",
        "Run the migrations, or set skipjack.migrate=true");
  }

  @Test
  void missingJacksonIsExplained() {
    assertAnalysis(
        contexts.withClassLoader(
            new FilteredClassLoader("com.fasterxml.jackson.databind", "tools.jackson")),
        "because Jackson is not on the class path.",
        "Add the dependency");
  }

  @Test
  void anUnknownPropertyIsExplained() {
    assertAnalysis(
        contexts.withBean(One.class).withPropertyValues("skipjack.queues.eu.mails.concurrency=5"),
        "Property 'skipjack.queues.eu.mails' is unknown.",
        "If 'eu.mails' is the name of a queue, put it in brackets");
  }

  @Test
  void aPoolThatIsTooSmallIsExplained() {
    try (HikariDataSource pool = database.newDataSource(1)) {
      assertAnalysis(
          Contexts.withoutDataSource()
              .withBean(DataSource.class, () -> pool)
              .withBean(One.class)
              .withPropertyValues("skipjack.migrate=validate"),
          "The queue's pool has 1 connection, but the worker keeps 2",
          "Set its maximum to 3 or more");
    }
  }

  @Test
  void theReasonOfTheDatabaseIsShown() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl().replaceAll("/\\w+(\\?|$)", "/no_such_database$1"));
      pool.setInitializationFailTimeout(-1);
      pool.setConnectionTimeout(2_000);
      FailureAnalysis analysis =
          analysisOf(
              Contexts.withoutDataSource()
                  .withBean(DataSource.class, () -> pool)
                  .withPropertyValues("skipjack.migrate=validate"));
      assertThat(analysis).isNotNull();
      assertThat(analysis.getDescription()).contains("no_such_database");
    }
  }

  @Test
  void aWrongPasswordIsExplained() {
    PGSimpleDataSource mistyped = new PGSimpleDataSource();
    mistyped.setUrl(database.jdbcUrl());
    mistyped.setPassword("mistyped");
    assertAnalysis(
        Contexts.withoutDataSource()
            .withBean(DataSource.class, () -> mistyped)
            .withPropertyValues("skipjack.migrate=validate"),
        "password authentication failed",
        "Correct the user or the password of the data source.");
  }

  @Test
  void failuresOfOtherCodeAreLeftToOthers() {
    assertThat(
            new StartFailureAnalyzer()
                .analyze(new IllegalStateException("outer", new RuntimeException("inner"))))
        .isNotNull(); // thrown by a class of this package
    IllegalStateException foreign = new IllegalStateException("foreign");
    foreign.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("com.acme.Shop", "open", null, 1)});
    assertThat(new StartFailureAnalyzer().analyze(foreign)).isNull();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    PrivateHandler handler() {
      return new PrivateHandler();
    }
  }

  @Test
  void springBootPrintsTheAnalysis(CapturedOutput output) {
    SpringApplication application = new SpringApplication(Application.class);
    application.setLogStartupInfo(false);
    assertThatThrownBy(
            () ->
                application.run(
                    "--spring.main.web-application-type=none",
                    "--spring.main.banner-mode=off",
                    "--spring.datasource.url=" + database.jdbcUrl(),
                    "--skipjack.migrate=validate"))
        .isInstanceOf(Exception.class);
    assertThat(output)
        .contains("APPLICATION FAILED TO START")
        .contains("PrivateHandler.run(String) of kind 'hidden' is private or static.")
        .contains("Make it an instance method that is visible.")
        .doesNotContain("at dev.skipjack");
  }
}
