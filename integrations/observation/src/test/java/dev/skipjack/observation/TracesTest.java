package dev.skipjack.observation;

import static dev.skipjack.observation.Traces.assertChild;
import static dev.skipjack.observation.Traces.assertLinked;
import static dev.skipjack.observation.Traces.attribute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.HandlerThreads;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the spans of enqueues and attempts, with OpenTelemetry and with Micrometer. */
@QueueTest
class TracesTest {

  private static final JobType<String> MAIL =
      JobType.of("mail", String.class).onQueue("mails").maxAttempts(5);

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private QueueDatabase database;

  static Stream<Traces> bothWays() {
    return Stream.of(new Traces.WithOpenTelemetry(), new Traces.WithMicrometer());
  }

  @BeforeEach
  void setUp(QueueDatabase given) {
    database = given;
  }

  private JobQueue queue(Traces traces) {
    return JobQueue.builder(database.dataSource())
        .schema(database.schema())
        .interceptor(traces.enqueues())
        .build();
  }

  private JobQueue plainQueue() {
    return JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  private void enqueueAfter(JobContext attempt, String payload) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      attempt.enqueueIn(connection).enqueue(MAIL, payload);
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  private static void withBaggage(String tenant, Runnable action) {
    Baggage baggage = Baggage.builder().put("tenant", tenant).build();
    Context.current().with(baggage).wrap(action).run();
  }

  private static JobStatus status(JobQueue queue, JobId job) {
    return queue.reader().find(job).orElseThrow().summary().status();
  }

  static Stream<Arguments> failuresAtTheEnd() {
    return bothWays()
        .flatMap(
            traces ->
                Stream.of(
                        new IllegalStateException("closed"),
                        new NoClassDefFoundError("closed"),
                        new Throwable("closed"))
                    .map(failure -> Arguments.of(traces, failure)));
  }

  /** Runs two attempts of each job, in threads in which the span of another trace is current. */
  private static void runTwiceInThreadsWithASpan(JobQueue queue, Traces traces) {
    ExecutorService threads = Context.taskWrapping(Executors.newCachedThreadPool());
    try {
      Worker worker =
          Worker.on(queue)
              .handle(
                  MAIL,
                  (payload, context) ->
                      context.attempt() == 1 ? Outcome.retry(Duration.ZERO) : Outcome.completed())
              .queue("mails", 1)
              .handlerThreads(HandlerThreads.of(threads))
              .interceptor(traces.attempts())
              .build();
      traces.inTrace(worker::runUntilIdle);
    } finally {
      threads.shutdownNow();
    }
  }

  private static void assertLinkedToGiven(SpanData consumer) {
    assertThat(consumer.getTraceId()).isNotEqualTo(TRACE.substring(3, 35));
    assertThat(consumer.getParentSpanContext().isValid()).isFalse();
    assertThat(consumer.getLinks())
        .singleElement()
        .satisfies(
            link ->
                assertThat(link.getSpanContext().getSpanId()).isEqualTo(TRACE.substring(36, 52)));
  }

  private static void run(JobQueue queue, Traces traces, Handler<String> handler) {
    Worker.on(queue)
        .handle(MAIL, handler)
        .queue("mails", 1)
        .interceptor(traces.attempts())
        .build()
        .runUntilIdle();
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void theFirstAttemptIsAChildAndThoseAfterARetryAndASnoozeAreLinked(Traces traces) {
    JobQueue queue = queue(traces);
    traces.inTrace(() -> queue.enqueue(MAIL, "a"));
    List<Outcome> outcomes =
        new ArrayList<>(
            List.of(
                Outcome.snooze(Duration.ofSeconds(1)),
                Outcome.retry(Duration.ZERO),
                Outcome.completed()));

    for (int i = 0; i < 3; i++) {
      run(queue, traces, (payload, context) -> outcomes.remove(0));
      database.timeTravel(Duration.ofSeconds(2));
    }

    assertThat(outcomes).isEmpty();
    SpanData caller = traces.spans(SpanKind.INTERNAL).get(0);
    SpanData producer = traces.spans(SpanKind.PRODUCER).get(0);
    List<SpanData> consumers = traces.spans(SpanKind.CONSUMER);
    assertChild(producer, caller);
    assertThat(consumers).hasSize(3);
    assertChild(consumers.get(0), producer);
    assertLinked(consumers.get(1), producer);
    assertLinked(consumers.get(2), producer);
    assertThat(consumers)
        .extracting(span -> attribute(span, "skipjack.outcome"))
        .containsExactly("snoozed", "retried", "completed");
    assertThat(consumers)
        .extracting(span -> attribute(span, "skipjack.attempt"))
        .containsExactly("1", "1", "2");
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void theSpansHaveTheAttributesOfMessaging(Traces traces) {
    JobQueue queue = queue(traces);
    JobId id = queue.enqueue(MAIL, "a");
    run(queue, traces, (payload, context) -> Outcome.completed());

    SpanData producer = traces.spans(SpanKind.PRODUCER).get(0);
    assertThat(producer.getName()).isEqualTo("enqueue mails");
    assertThat(
            Stream.of(
                    "messaging.system",
                    "messaging.destination.name",
                    "messaging.operation.name",
                    "messaging.operation.type",
                    "messaging.message.id",
                    "skipjack.kind")
                .map(name -> attribute(producer, name)))
        .containsExactly("skipjack", "mails", "enqueue", "send", id.toString(), "mail");
    SpanData consumer = traces.spans(SpanKind.CONSUMER).get(0);
    assertThat(consumer.getName()).isEqualTo("process mails");
    assertThat(
            Stream.of(
                    "messaging.system",
                    "messaging.destination.name",
                    "messaging.operation.name",
                    "messaging.operation.type",
                    "messaging.message.id",
                    "skipjack.kind",
                    "skipjack.attempt",
                    "skipjack.outcome")
                .map(name -> attribute(consumer, name)))
        .containsExactly(
            "skipjack", "mails", "process", "process", id.toString(), "mail", "1", "completed");
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void anAttemptAfterARescueIsLinked(Traces traces) {
    JobQueue queue = queue(traces);
    JobId id = queue.enqueue(MAIL, "a");
    run(
        queue,
        traces,
        (payload, context) -> {
          if (context.attempt() == 1) {
            database.loseLease(id, queue);
          }
          return Outcome.completed();
        });

    SpanData producer = traces.spans(SpanKind.PRODUCER).get(0);
    List<SpanData> consumers = traces.spans(SpanKind.CONSUMER);
    assertThat(consumers).hasSize(2);
    assertChild(consumers.get(0), producer);
    assertLinked(consumers.get(1), producer);
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void aFollowUpJobContinuesTheTraceOfTheAttempt(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "first");
    run(
        queue,
        traces,
        (payload, context) -> {
          if (payload.equals("first")) {
            enqueueAfter(context, "second");
          }
          return Outcome.completed();
        });

    List<SpanData> producers = traces.spans(SpanKind.PRODUCER);
    List<SpanData> consumers = traces.spans(SpanKind.CONSUMER);
    assertThat(consumers).hasSize(2);
    assertChild(consumers.get(0), producers.get(0));
    assertChild(producers.get(1), consumers.get(0));
    assertChild(consumers.get(1), producers.get(1));
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void aJobThatWaitedTooLongHasATraceOfItsOwn(Traces traces) {
    traces.childWithin(Duration.ofHours(1));
    JobQueue plain = plainQueue();
    for (String enqueuedAt :
        List.of(
            Instant.now().minus(Duration.ofHours(2)).toString(), Instant.now().toString(), "?")) {
      plain.enqueue(MAIL, "a", job -> job.traceparent(TRACE).header("enqueued-at", enqueuedAt));
    }

    run(plain, traces, (payload, context) -> Outcome.completed());

    assertThat(traces.spans(SpanKind.CONSUMER))
        .extracting(span -> span.getTraceId().equals(TRACE.substring(3, 35)))
        .containsExactly(false, true, true);
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void noAttemptIsAChildIfTheWaitIsZero(Traces traces) {
    traces.childWithin(Duration.ZERO);
    // The clock of the enqueuer is an hour ahead.
    String enqueuedAt = Instant.now().plus(Duration.ofHours(1)).toString();
    plainQueue()
        .enqueue(MAIL, "a", job -> job.traceparent(TRACE).header("enqueued-at", enqueuedAt));
    run(queue(traces), traces, (payload, context) -> Outcome.completed());

    assertLinkedToGiven(traces.spans(SpanKind.CONSUMER).get(0));
    assertThatThrownBy(() -> traces.childWithin(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.000000001S");
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void theJobsOfOneCallShareASpan(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueueAll(MAIL, List.of("a", "b", "c"));
    run(queue, traces, (payload, context) -> Outcome.completed());

    SpanData producer = traces.spans(SpanKind.PRODUCER).get(0);
    assertThat(traces.spans(SpanKind.PRODUCER)).hasSize(1);
    assertThat(attribute(producer, "messaging.batch.message_count")).isEqualTo("3");
    assertThat(traces.spans(SpanKind.CONSUMER))
        .hasSize(3)
        .allSatisfy(consumer -> assertChild(consumer, producer));
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void exceptionsAreRecordedWithTheirClass(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "thrown", job -> job.maxAttempts(1));
    queue.enqueue(MAIL, "staged", job -> job.maxAttempts(1));
    run(
        queue,
        traces,
        (payload, context) -> {
          if (payload.equals("staged")) {
            return Outcome.async(
                CompletableFuture.completedFuture("")
                    .thenApply(
                        empty -> {
                          throw new IllegalStateException("staged");
                        }));
          }
          throw new IllegalStateException("thrown");
        });

    assertThat(traces.spans(SpanKind.CONSUMER))
        .hasSize(2)
        .allSatisfy(
            span -> {
              assertThat(attribute(span, "skipjack.outcome")).isEqualTo("failed");
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
              assertThat(Traces.exception(span)).isEqualTo("java.lang.IllegalStateException");
            });
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void anEnqueueThatFailsIsRecorded(Traces traces) {
    JobQueue queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .interceptor(traces.enqueues())
            .interceptor(
                (jobs, next) -> {
                  throw new IllegalStateException("no");
                })
            .build();

    assertThatThrownBy(() -> queue.enqueue(MAIL, "a")).hasMessage("no");

    assertThat(traces.spans(SpanKind.PRODUCER))
        .singleElement()
        .satisfies(
            span -> {
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
              assertThat(Traces.exception(span)).isEqualTo("java.lang.IllegalStateException");
            });
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void theSpanOfAnAsynchronousHandlerEndsWithItsStage(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "a");
    run(
        queue,
        traces,
        (payload, context) ->
            Outcome.async(
                CompletableFuture.supplyAsync(
                    () -> {
                      assertThat(traces.spans(SpanKind.CONSUMER)).isEmpty();
                      return Outcome.dead("no such address");
                    })));

    assertThat(traces.spans(SpanKind.CONSUMER))
        .singleElement()
        .satisfies(span -> assertThat(attribute(span, "skipjack.outcome")).isEqualTo("dead"));
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void baggageReachesEveryAttempt(Traces traces) {
    JobQueue queue = queue(traces);
    withBaggage("acme", () -> queue.enqueue(MAIL, "a"));
    List<String> seen = new ArrayList<>();
    run(
        queue,
        traces,
        (payload, context) -> {
          seen.add(String.valueOf(Baggage.current().getEntryValue("tenant")));
          return context.attempt() == 1 ? Outcome.retry(Duration.ZERO) : Outcome.completed();
        });

    assertThat(seen).containsExactly("acme", "acme");
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void aTraceThatDoesNotFitDoesNotPreventTheEnqueue(Traces traces) {
    JobQueue queue = queue(traces);
    String large = "x".repeat(4_070);
    queue.enqueue(MAIL, "a", job -> job.header("large", large));
    List<String> headers = new ArrayList<>();
    run(
        queue,
        traces,
        (payload, context) -> {
          headers.addAll(context.headers().keySet());
          return Outcome.completed();
        });

    assertThat(headers).containsExactly("large");
    assertThat(traces.spans(SpanKind.CONSUMER)).hasSize(1);
  }

  /** Baggage comes from outside; it may be as large as all headers of a job together. */
  @ParameterizedTest
  @MethodSource("bothWays")
  void largeBaggageLeavesSpaceForOtherHeaders(Traces traces) {
    JobQueue queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .interceptor(traces.enqueues())
            .interceptor((jobs, next) -> next.enqueue(withTenant(jobs)))
            .build();
    withBaggage("x".repeat(3_940), () -> queue.enqueue(MAIL, "first"));
    List<String> headers = new ArrayList<>();
    run(
        queue,
        traces,
        (payload, context) -> {
          headers.add(payload + new TreeSet<>(context.headers().keySet()));
          if (payload.equals("first")) {
            enqueueAfter(context, "second");
          }
          return Outcome.completed();
        });

    assertThat(headers)
        .containsExactly(
            "first[enqueued-at, tenant, traceparent]", "second[enqueued-at, tenant, traceparent]");
  }

  private static List<NewJob> withTenant(List<NewJob> jobs) {
    return jobs.stream().map(job -> job.withHeaders(Map.of("tenant", "x".repeat(1_000)))).toList();
  }

  /** A tracestate is valid only with its own traceparent. */
  @ParameterizedTest
  @MethodSource("bothWays")
  void aNewTraceReplacesAllHeadersOfTheInheritedOne(Traces traces) {
    JobQueue queue = queue(traces);
    plainQueue()
        .enqueue(
            MAIL,
            "first",
            job ->
                job.traceparent(TRACE)
                    .header("tracestate", "vendor=old")
                    .header("x-b3-traceid", "old")
                    .header("tenant", "acme")
                    .header("enqueued-at", Instant.EPOCH.toString()));
    List<Map<String, String>> seen = new ArrayList<>();
    run(
        queue,
        traces,
        (payload, context) -> {
          if (payload.equals("first")) {
            enqueueAfter(context, "second");
          } else {
            seen.add(context.headers());
          }
          return Outcome.completed();
        });

    assertThat(seen)
        .singleElement()
        .satisfies(
            headers -> {
              assertThat(headers).containsOnlyKeys("enqueued-at", "tenant", "traceparent");
              assertThat(headers.get("traceparent")).doesNotContain(TRACE.substring(3, 35));
            });
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void aSpanOfTheHandlersThreadIsNotTheParentOfALinkedAttempt(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "a");
    runTwiceInThreadsWithASpan(queue, traces);

    SpanData producer = traces.spans(SpanKind.PRODUCER).get(0);
    assertChild(traces.spans(SpanKind.CONSUMER).get(0), producer);
    assertLinked(traces.spans(SpanKind.CONSUMER).get(1), producer);
  }

  /** SQL, for example, enqueues jobs without a trace. */
  @ParameterizedTest
  @MethodSource("bothWays")
  void aSpanOfTheHandlersThreadIsNotConnectedToAJobWithoutATrace(Traces traces) {
    plainQueue().enqueue(MAIL, "a");
    runTwiceInThreadsWithASpan(plainQueue(), traces);

    assertThat(traces.spans(SpanKind.CONSUMER))
        .hasSize(2)
        .allSatisfy(
            span -> {
              assertThat(span.getParentSpanContext().isValid()).isFalse();
              assertThat(span.getLinks()).isEmpty();
            });
  }

  /** The jobs are committed: an exception would make the caller enqueue them again. */
  @ParameterizedTest
  @MethodSource("failuresAtTheEnd")
  void aFailureAtTheEndOfAnEnqueueIsNotThrown(Traces traces, Throwable failure) {
    traces.failureAtTheEnd = failure;
    JobQueue queue = queue(traces);
    JobQueue refusing =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .interceptor(traces.enqueues())
            .interceptor(
                (jobs, next) -> {
                  throw new IllegalStateException("refused");
                })
            .build();

    assertThat(status(queue, queue.enqueue(MAIL, "a"))).isEqualTo(JobStatus.PENDING);
    assertThatThrownBy(() -> refusing.enqueue(MAIL, "a")).hasMessage("refused");
  }

  /** The handler has ended, and its outcome counts. */
  @ParameterizedTest
  @MethodSource("failuresAtTheEnd")
  void aFailureAtTheEndOfAnAttemptDoesNotChangeTheOutcome(Traces traces, Throwable failure) {
    JobQueue queue = queue(traces);
    JobId direct = queue.enqueue(MAIL, "direct");
    JobId staged = queue.enqueue(MAIL, "staged");
    JobId unreadable = queue.enqueue(MAIL, "unreadable");
    traces.failureAtTheEnd = failure;

    run(
        queue,
        traces,
        (payload, context) ->
            switch (payload) {
              case "direct" -> Outcome.completed();
              case "staged" -> Outcome.async(CompletableFuture.supplyAsync(Outcome::completed));
              default -> throw PayloadException.permanent("No such mail.", null);
            });

    assertThat(Stream.of(direct, staged, unreadable).map(job -> status(queue, job)))
        .containsExactly(JobStatus.COMPLETED, JobStatus.COMPLETED, JobStatus.DEAD);
  }

  /** Bit 0 of the flags means sampled; W3C level 2 has a second bit. */
  @ParameterizedTest
  @MethodSource("bothWays")
  void aLinkIsSampledIfItsBitIsSet(Traces traces) {
    traces.childWithin(Duration.ZERO);
    for (String flags : List.of("00", "01", "02", "03")) {
      plainQueue().enqueue(MAIL, flags, job -> job.traceparent(TRACE.substring(0, 53) + flags));
    }
    run(plainQueue(), traces, (payload, context) -> Outcome.completed());

    assertThat(traces.spans(SpanKind.CONSUMER))
        .extracting(span -> span.getLinks().get(0).getSpanContext().isSampled())
        .containsExactly(false, true, false, true);
  }

  /** Only SQL can write such a header. */
  @ParameterizedTest
  @MethodSource("bothWays")
  void anInvalidTraceparentDoesNotFailTheAttempt(Traces traces) throws SQLException {
    JobQueue queue = plainQueue();
    for (String invalid : List.of("", "?", "00-zz-11-01")) {
      JobId id = queue.enqueue(MAIL, invalid);
      try (Connection connection = database.connection();
          PreparedStatement update =
              connection.prepareStatement(
                  "UPDATE %s.jobs SET headers = jsonb_build_object('traceparent', ?, 'enqueued-at', '2020-01-01T00:00:00Z') WHERE id = ?"
                      .formatted(database.schema()))) {
        update.setString(1, invalid);
        update.setLong(2, id.value());
        update.executeUpdate();
      }
    }
    run(queue, traces, (payload, context) -> Outcome.completed());

    assertThat(traces.spans(SpanKind.CONSUMER))
        .hasSize(3)
        .allSatisfy(
            span -> {
              assertThat(attribute(span, "skipjack.outcome")).isEqualTo("completed");
              assertThat(span.getLinks()).isEmpty();
            });
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  @SuppressWarnings("NullAway") // handlers compiled without NullAway may return null
  void anOutcomeThatIsNullIsAnError(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "a", job -> job.maxAttempts(1));
    queue.enqueue(MAIL, "staged", job -> job.maxAttempts(1));
    run(
        queue,
        traces,
        (payload, context) ->
            payload.equals("staged")
                ? Outcome.async(CompletableFuture.completedFuture(null))
                : null);

    assertThat(traces.spans(SpanKind.CONSUMER))
        .hasSize(2)
        .allSatisfy(
            span -> {
              assertThat(attribute(span, "skipjack.outcome")).isEqualTo("failed");
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            });
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void theSpanOfAStageThatCannotBeCancelledEndsWithTheTimeout(Traces traces) {
    JobQueue queue = queue(traces);
    JobType<String> impatient = MAIL.maxAttempts(1).timeout(Duration.ofMillis(100));
    queue.enqueue(impatient, "a");
    CompletableFuture<Outcome> never = new CompletableFuture<>();
    Worker.on(queue)
        .handle(impatient, (payload, context) -> Outcome.async(never.minimalCompletionStage()))
        .queue("mails", 1)
        .interceptor(traces.attempts())
        .build()
        .runUntilIdle();

    assertThat(never).isNotDone();
    assertThat(traces.spans(SpanKind.CONSUMER))
        .singleElement()
        .satisfies(span -> assertThat(attribute(span, "skipjack.outcome")).isEqualTo("failed"));
  }

  @ParameterizedTest
  @MethodSource("bothWays")
  void aTraceThatIsGivenOutsideOfATraceIsKept(Traces traces) {
    JobQueue queue = queue(traces);
    queue.enqueue(MAIL, "a", job -> job.traceparent(TRACE));
    List<Map<String, String>> headers = new ArrayList<>();
    run(
        queue,
        traces,
        (payload, context) -> {
          headers.add(context.headers());
          return Outcome.completed();
        });

    assertThat(traces.spans(SpanKind.CONSUMER).get(0).getParentSpanId())
        .isEqualTo(TRACE.substring(36, 52));
    // This header distinguishes a delayed job from one that has just been enqueued.
    assertThat(headers.get(0)).containsKey("enqueued-at");
  }
}
