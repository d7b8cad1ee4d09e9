package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.skipjack.api.JobType;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.core.PGStream;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;
import org.springframework.jdbc.core.JdbcTemplate;

/** Processes applications ahead of time, as a build for a native image does. */
@QueueTest
class AheadOfTimeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  record Stop(String city) {}

  record Trip(List<Stop> stops) {}

  record Ticket(Price price) {}

  record Price(int cents) {}

  record Refund(int cents) {}

  record Reminder(String text) {}

  abstract static class Sales {
    static final JobType<Refund> REFUND = JobType.of("refund", Refund.class);

    @JobHandler("refund")
    void refund() {}
  }

  static class Trips extends Sales {
    @JobHandler("book-trip")
    Ticket book(Trip trip) {
      return new Ticket(new Price(trip.stops().size()));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    Trips trips() {
      return new Trips();
    }

    @Bean
    JobType<Reminder> reminder() {
      return JobType.of("remind", Reminder.class);
    }

    @Bean
    StringBuilder withoutHandlers() {
      return new StringBuilder();
    }
  }

  @Test
  void handlersCanBeCalledAndTheirConstantsRead() throws Exception {
    RuntimeHints hints = hintsOf(Application.class);

    assertThat(invocation(Trips.class.getDeclaredMethod("book", Trip.class))).accepts(hints);
    assertThat(invocation(Sales.class.getDeclaredMethod("refund"))).accepts(hints);
    assertThat(access(Sales.class.getDeclaredField("REFUND"))).accepts(hints);
    assertThat(invocation(StringBuilder.class.getMethod("length"))).rejects(hints);
  }

  @Test
  void payloadsAndResultsCanBeConverted() {
    RuntimeHints hints = hintsOf(Application.class);

    for (Class<?> converted :
        List.of(Trip.class, Stop.class, Ticket.class, Price.class, Refund.class, Reminder.class)) {
      assertThat(creation(converted.getDeclaredConstructors()[0]))
          .as(converted.getName())
          .accepts(hints);
      assertThat(invocation(converted.getRecordComponents()[0].getAccessor()))
          .as(converted.getName())
          .accepts(hints);
    }
  }

  @Test
  void theQueueFindsItsMigrationsAndClasses() throws Exception {
    RuntimeHints hints = new RuntimeHints();
    new SkipjackRuntimeHints().registerHints(hints, getClass().getClassLoader());

    assertThat(resource().forResource("db/skipjack/V001__create_jobs.sql")).accepts(hints);
    assertThat(resource().forResource("dev/skipjack/migrations/roles.sql")).accepts(hints);
    assertThat(resource().forResource("dev/skipjack/dashboard/dashboard.css")).accepts(hints);
    assertThat(access(PGStream.class.getDeclaredField("nextStreamAvailableCheckTime")))
        .accepts(hints);
    for (String created :
        List.of(
            "dev.skipjack.handlers.NoPayload",
            "dev.skipjack.model.tables.records.JobsRecord",
            "dev.skipjack.model.tables.records.OutboxEventsRecord")) {
      assertThat(creation(Class.forName(created).getDeclaredConstructor()))
          .as(created)
          .accepts(hints);
    }
  }

  @SuppressWarnings({"deprecation", "removal"}) // Spring 7 has renamed it.
  private static Predicate<RuntimeHints> invocation(Method method) {
    return reflection().onMethod(method).invoke();
  }

  @SuppressWarnings({"deprecation", "removal"}) // Spring 7 has renamed it.
  private static Predicate<RuntimeHints> creation(Constructor<?> constructor) {
    return reflection().onConstructor(constructor).invoke();
  }

  @SuppressWarnings({"deprecation", "removal"}) // Spring 7 has renamed it.
  private static Predicate<RuntimeHints> access(Field field) {
    return reflection().onField(field);
  }

  private static RuntimeHints hintsOf(Class<?> configuration) {
    DefaultGenerationContext generation =
        new DefaultGenerationContext(
            new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)),
            new InMemoryGeneratedFiles());
    try (GenericApplicationContext context = new AnnotationConfigApplicationContext()) {
      ((AnnotationConfigApplicationContext) context).register(configuration);
      new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    }
    return generation.getRuntimeHints();
  }

  @Test
  void jobsRunInAnApplicationThatWasProcessedAheadOfTime(
      QueueDatabase database, @TempDir Path folder) throws Exception {
    JdbcTemplate sql = new JdbcTemplate(database.dataSource());
    sql.execute("CREATE TABLE users (name text PRIMARY KEY)");
    sql.execute("CREATE TABLE accounts (owner text PRIMARY KEY)");
    Path sources = folder.resolve("sources");
    Path classes = folder.resolve("classes");
    String[] settings = {
      "--spring.datasource.url=" + database.jdbcUrl(),
      "--skipjack.schema=ahead_of_time",
      "--spring.flyway.enabled=true",
      "--spring.flyway.locations=classpath:application-migrations",
      "--spring.flyway.default-schema=application"
    };
    try (ForkedJvm processor =
        fork(SpringApplicationAotProcessor.class)
            .arguments(
                AheadOfTimeApplication.class.getName(),
                sources.toString(),
                classes.toString(),
                classes.toString(),
                "dev.skipjack",
                "ahead-of-time")
            .arguments(settings)
            .start()) {
      assertThat(processor.awaitExit(PATIENCE)).as("%s", processor.lines()).isZero();
    }
    compile(sources, classes);
    try (ForkedJvm application =
        fork(AheadOfTimeApplication.class)
            .option("-Dspring.aot.enabled=true")
            .classes(classes)
            .arguments(settings)
            .start()) {
      application.awaitLine(AheadOfTimeApplication.DONE, PATIENCE);
    }
    assertThat(sql.queryForList("SELECT owner FROM accounts", String.class)).containsExactly("ada");
    assertThat(
            sql.queryForList(
                "SELECT script FROM application.flyway_schema_history WHERE version IS NOT NULL",
                String.class))
        .containsExactly("V1__create_customers.sql");
  }

  /**
   * Returns a builder of a JVM that gets the properties which tests set for Spring Boot in this
   * JVM.
   */
  private static ForkedJvm.Builder fork(Class<?> main) {
    ForkedJvm.Builder forked = ForkedJvm.of(main);
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("spring."))
        .forEach(name -> forked.option("-D%s=%s".formatted(name, System.getProperty(name))));
    return forked;
  }

  private static void compile(Path sources, Path classes) throws IOException {
    JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
    StringWriter errors = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> generated = Files.walk(sources)) {
      boolean compiled =
          compiler
              .getTask(
                  new PrintWriter(errors),
                  files,
                  null,
                  List.of(
                      "-proc:none",
                      "-cp",
                      classes + File.pathSeparator + System.getProperty("java.class.path"),
                      "-d",
                      classes.toString()),
                  null,
                  files.getJavaFileObjectsFromPaths(
                      generated.filter(Files::isRegularFile).toList()))
              .call();
      assertThat(compiled).as("%s", errors).isTrue();
    }
  }
}
