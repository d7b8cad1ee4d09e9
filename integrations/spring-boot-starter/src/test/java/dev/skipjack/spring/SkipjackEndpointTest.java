package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.RecordComponent;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.PropertiesEndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Component;

/** Calls the endpoint as a web server does, by method and path. */
@QueueTest
class SkipjackEndpointTest {

  private static final JobType<String> DOOMED =
      JobType.of("doomed", String.class).onQueue("emails");

  private final QueueDatabase database;
  private final ApplicationContextRunner exposed;
  private final ApplicationContextRunner producer;

  SkipjackEndpointTest(QueueDatabase database) {
    this.database = database;
    exposed =
        Contexts.on(database)
            .withPropertyValues("management.endpoints.web.exposure.include=skipjack");
    producer = exposed.withPropertyValues("skipjack.worker.enabled=false");
  }

  @Component
  static class Doomed {
    @JobHandler("doomed")
    Outcome fail(String secret) {
      return Outcome.dead("The address is unknown.");
    }
  }

  private static WebEndpointResponse<?> get(ApplicationContext context, String... path) {
    return call(context, WebEndpointHttpMethod.GET, Map.of(), path);
  }

  private static WebEndpointResponse<?> post(
      ApplicationContext context, Map<String, Object> body, String... path) {
    return call(context, WebEndpointHttpMethod.POST, body, path);
  }

  private static WebEndpointResponse<?> call(
      ApplicationContext context,
      WebEndpointHttpMethod method,
      Map<String, Object> parameters,
      String... path) {
    WebOperation operation =
        operations(context).stream()
            .filter(one -> one.getRequestPredicate().getHttpMethod() == method)
            .filter(one -> variables(one).size() == path.length)
            .findFirst()
            .orElseThrow();
    Map<String, Object> arguments = new HashMap<>(parameters);
    for (int i = 0; i < path.length; i++) {
      arguments.put(variables(operation).get(i), path[i]);
    }
    Object response = operation.invoke(new InvocationContext(Anna.INSTANCE, arguments));
    return response instanceof WebEndpointResponse<?> web
        ? web
        : new WebEndpointResponse<>(response);
  }

  private static List<String> variables(WebOperation operation) {
    return Arrays.stream(operation.getRequestPredicate().getPath().split("/"))
        .filter(part -> part.startsWith("{"))
        .map(part -> part.substring(1, part.length() - 1))
        .toList();
  }

  private static List<WebOperation> operations(ApplicationContext context) {
    return new WebEndpointDiscoverer(
            context,
            new ConversionServiceParameterValueMapper(),
            EndpointMediaTypes.DEFAULT,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(
                OperationFilter.byAccess(
                    new PropertiesEndpointAccessResolver(context.getEnvironment()))))
        .getEndpoints().stream().flatMap(endpoint -> endpoint.getOperations().stream()).toList();
  }

  /** An authenticated user. */
  private enum Anna implements SecurityContext {
    INSTANCE;

    @Override
    public Principal getPrincipal() {
      return () -> "anna";
    }

    @Override
    public boolean isUserInRole(String role) {
      return false;
    }
  }

  private static <T> T body(WebEndpointResponse<?> response, Class<T> type) {
    return type.cast(Objects.requireNonNull(response.getBody()));
  }

  private static String message(WebEndpointResponse<?> response) {
    return body(response, SkipjackEndpoint.Message.class).message();
  }

  private static List<?> items(WebEndpointResponse<?> response) {
    return body(response, SkipjackEndpoint.Page.class).items();
  }

  /** Runs a test with a dead job. */
  private void withDeadJob(Consumer<Dead> test) {
    exposed
        .withBean(Doomed.class)
        .run(
            context -> {
              JobQueue queue = context.getBean(JobQueue.class);
              JobId job = queue.enqueue(DOOMED, "a secret payload");
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> !queue.reader().deadLetters().isEmpty());
              test.accept(new Dead(context, queue, job));
            });
  }

  private record Dead(ApplicationContext context, JobQueue queue, JobId job) {}

  @Test
  void endpointExistsOnlyIfItIsExposed() {
    Contexts.on(database).run(context -> assertThat(context).doesNotHaveBean("skipjackEndpoint"));
    producer.run(context -> assertThat(context).hasBean("skipjackEndpoint"));
    producer
        .withPropertyValues("management.endpoint.skipjack.access=NONE")
        .run(context -> assertThat(context).doesNotHaveBean("skipjackEndpoint"));
  }

  @Test
  void endpointNeedsTheActuatorAndAQueue() {
    producer
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("skipjackEndpoint"));
    Contexts.withoutDataSource()
        .withPropertyValues("management.endpoints.web.exposure.include=skipjack")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("skipjackEndpoint"));
  }

  @Test
  void readOnlyAccessLeavesOutTheCommands() {
    producer.run(
        context ->
            assertThat(operations(context))
                .extracting(operation -> operation.getRequestPredicate().getHttpMethod())
                .containsExactlyInAnyOrder(
                    WebEndpointHttpMethod.GET,
                    WebEndpointHttpMethod.GET,
                    WebEndpointHttpMethod.GET,
                    WebEndpointHttpMethod.POST));
    producer
        .withPropertyValues("management.endpoint.skipjack.access=READ_ONLY")
        .run(
            context ->
                assertThat(operations(context))
                    .hasSize(3)
                    .allMatch(
                        operation ->
                            operation.getRequestPredicate().getHttpMethod()
                                == WebEndpointHttpMethod.GET));
  }

  @Test
  void endpointShowsQueuesWorkersAndDeadLettersWithoutPayloads() {
    withDeadJob(
        dead -> {
          assertThat(items(get(dead.context(), "queues")))
              .singleElement()
              .isInstanceOfSatisfying(
                  QueueReport.class,
                  queue -> {
                    assertThat(queue.name()).isEqualTo("emails");
                    assertThat(queue.paused()).isFalse();
                    assertThat(queue.dead()).isEqualTo(1);
                    assertThat(queue.pending()).isZero();
                    assertThat(queue.oldestDueSeconds()).isNull();
                    assertThat(queue.workers()).isEqualTo(1);
                  });
          assertThat(items(get(dead.context(), "workers")))
              .singleElement()
              .isInstanceOfSatisfying(
                  SkipjackEndpoint.Worker.class,
                  worker -> {
                    assertThat(worker.queues()).containsExactly("emails");
                    assertThat(worker.kinds()).containsExactly("doomed");
                  });
          assertThat(items(get(dead.context(), "dead-letters")))
              .singleElement()
              .isInstanceOfSatisfying(
                  SkipjackEndpoint.DeadLetters.class,
                  group -> {
                    assertThat(group.error()).isEqualTo("The address is unknown.");
                    assertThat(group.jobs()).isEqualTo(1);
                    assertThat(group.example()).isEqualTo(dead.job().value());
                  });
          SkipjackEndpoint.Overview overview =
              body(get(dead.context()), SkipjackEndpoint.Overview.class);
          assertThat(overview.queues().total()).isEqualTo(1);
          assertThat(overview.workers().total()).isEqualTo(1);
          assertThat(overview.deadLetters().total()).isEqualTo(1);
          assertThat(overview.toString()).doesNotContain("secret");
        });
  }

  @Test
  void endpointShowsHowLongTheOldestJobHasBeenDue() {
    producer.run(
        context -> {
          JobQueue queue = context.getBean(JobQueue.class);
          queue.enqueue(DOOMED, "late");
          database.timeTravel(Duration.ofMinutes(10));
          assertThat(items(get(context, "queues")))
              .singleElement()
              .isInstanceOfSatisfying(
                  QueueReport.class,
                  report -> {
                    assertThat(report.pending()).isEqualTo(1);
                    assertThat(report.oldestDueSeconds()).isBetween(590L, 660L);
                    assertThat(report.workers()).isZero();
                  });
        });
  }

  @Test
  void aListIsLimitedAndHasItsTotal() {
    producer.run(
        context -> {
          JobQueue queue = context.getBean(JobQueue.class);
          for (String name : List.of("c", "a", "b")) {
            queue.enqueue(DOOMED, "x", job -> job.onQueue(name));
          }
          SkipjackEndpoint.Page page =
              body(
                  call(context, WebEndpointHttpMethod.GET, Map.of("limit", "2"), "queues"),
                  SkipjackEndpoint.Page.class);
          assertThat(page.total()).isEqualTo(3);
          assertThat(page.items())
              .extracting(report -> ((QueueReport) report).name())
              .containsExactly("a", "b");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1001", "many"})
  void rejectsALimitThatIsOutOfRange(String limit) {
    producer.run(
        context -> {
          WebEndpointResponse<?> response =
              call(context, WebEndpointHttpMethod.GET, Map.of("limit", limit), "queues");
          assertThat(response.getStatus()).isEqualTo(400);
          assertThat(message(response))
              .isEqualTo("Limit '%s' is not a number in 1..1000.".formatted(limit));
        });
  }

  @Test
  void explainsTheStateOfAJob() {
    producer.run(
        context -> {
          JobId job = context.getBean(JobQueue.class).enqueue(DOOMED, "a secret payload");
          assertThat(get(context, "why", job.toString()).getBody())
              .isInstanceOfSatisfying(
                  SkipjackEndpoint.Explanation.class,
                  why -> {
                    assertThat(why.job()).isEqualTo(job.value());
                    assertThat(why.reason()).isEqualTo(JobExplanation.Reason.NO_WORKER);
                    assertThat(why.sentence()).isNotBlank();
                    assertThat(why.toString()).doesNotContain("secret");
                  });
        });
  }

  @Test
  void explanationHasEveryFieldOfTheReadersExplanation() {
    assertThat(components(SkipjackEndpoint.Explanation.class))
        .isEqualTo(components(JobExplanation.class));
  }

  private static List<String> components(Class<? extends Record> type) {
    return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GET  | jobs   |        | 404 | There is no list 'jobs'. Use queues, workers, dead-letters, outbox or why/{job}.
          GET  | what   | 1      | 404 | There is no question 'what' about a job. Use why/{job}.
          GET  | why    | 999999 | 404 | Job 999999 does not exist, or its history has been pruned.
          GET  | why    | none   | 400 | Job id 'none' is not a positive number.
          GET  | why    | -1     | 400 | Job id '-1' is not a positive number.
          POST | delete | 1      | 404 | There is no command 'delete'. Use pause/{queue}, resume/{queue} or redrive/{job}.
          POST | redrive| none   | 400 | Job id 'none' is not a positive number.
          POST | redrive| 999999 | 404 | Job 999999 has ended or does not exist.
          POST | pause  | none   | 404 | There is no queue 'none': no job, setting or worker names it.
          POST | resume | none   | 404 | There is no queue 'none': no job, setting or worker names it.
          """)
  void namesWhatIsUnknown(
      WebEndpointHttpMethod method,
      String first,
      @Nullable String second,
      int status,
      String message) {
    producer.run(
        context -> {
          WebEndpointResponse<?> response =
              second == null
                  ? call(context, method, Map.of(), first)
                  : call(context, method, Map.of(), first, second);
          assertThat(response.getStatus()).isEqualTo(status);
          assertThat(message(response)).isEqualTo(message);
        });
  }

  @Test
  void pausesAndResumesAQueue() {
    producer.run(
        context -> {
          JobQueue queue = context.getBean(JobQueue.class);
          queue.enqueue(DOOMED, "x");
          Map<String, Object> body = Map.of("duration", "15m", "reason", "The mail server is down");
          assertThat(post(context, body, "pause", "emails").getBody())
              .isInstanceOfSatisfying(
                  QueueReport.class,
                  report -> {
                    assertThat(report.paused()).isTrue();
                    assertThat(report.pausedBy()).isEqualTo("anna");
                    assertThat(report.pauseReason()).isEqualTo("The mail server is down");
                    assertThat(report.pausedUntil())
                        .isBetween(Instant.now().plusSeconds(600), Instant.now().plusSeconds(960));
                  });
          assertThat(queue.reader().queues()).singleElement().matches(state -> state.paused());
          assertThat(post(context, Map.of(), "resume", "emails").getBody())
              .isInstanceOfSatisfying(
                  QueueReport.class, report -> assertThat(report.paused()).isFalse());
          assertThat(queue.reader().queues()).noneMatch(state -> state.paused());
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "duration | soon | is not a valid duration",
        "duration | 0s   | Duration PT0S of a pause must be positive",
        "reason   | ' '  | Reason ' ' of a pause must have 1 to 500 characters"
      })
  void anInvalidPauseIsRejected(String name, String value, String message) {
    producer.run(
        context -> {
          context.getBean(JobQueue.class).enqueue(DOOMED, "x");
          WebEndpointResponse<?> response = post(context, Map.of(name, value), "pause", "emails");
          assertThat(response.getStatus()).isEqualTo(400);
          assertThat(message(response)).contains(message);
          assertThat(context.getBean(JobQueue.class).reader().queues()).isEmpty();
        });
  }

  @Test
  void redrivesADeadJob() {
    withDeadJob(
        dead -> {
          dead.queue().admin().pause("emails");
          WebEndpointResponse<?> response =
              post(dead.context(), Map.of(), "redrive", dead.job().toString());
          assertThat(response.getStatus()).isEqualTo(200);
          assertThat(message(response))
              .isEqualTo("Job %s is pending, with fresh attempts.".formatted(dead.job()));
          assertThat(dead.queue().reader().find(dead.job()).orElseThrow().summary().status())
              .isEqualTo(JobStatus.PENDING);
          WebEndpointResponse<?> again =
              post(dead.context(), Map.of(), "redrive", dead.job().toString());
          assertThat(again.getStatus()).isEqualTo(409);
          assertThat(message(again))
              .isEqualTo("Job %s was not redriven, because it is not dead.".formatted(dead.job()));
        });
  }

  @Test
  void endpointNamesTheReasonThatPreventsARedrive() {
    assertThat(SkipjackEndpoint.reason(new RedriveResult.Conflict(new JobId(7))))
        .isEqualTo("job 7 holds its unique key.");
    assertThat(SkipjackEndpoint.reason(new RedriveResult.Busy()))
        .isEqualTo("another transaction has locked it. Try again.");
  }
}
