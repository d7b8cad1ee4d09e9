package dev.skipjack.observation;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.trace.SpanKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

@QueueTest
class JobObservationsTest {

  private static final JobType<String> MAIL = JobType.of("mail", String.class).onQueue("mails");

  @Test
  void metersHaveTagsOfLowCardinalityOnly(QueueDatabase database) {
    Traces.WithMicrometer traces = new Traces.WithMicrometer();
    runOne(database, JobObservations.of(traces.registry));

    assertThat(tags(traces, "skipjack.enqueue"))
        .containsExactlyInAnyOrder(
            "error",
            "messaging.destination.name",
            "messaging.operation.name",
            "messaging.operation.type",
            "messaging.system",
            "skipjack.kind");
    assertThat(tags(traces, "skipjack.process"))
        .containsExactlyInAnyOrder(
            "error",
            "messaging.destination.name",
            "messaging.operation.name",
            "messaging.operation.type",
            "messaging.system",
            "skipjack.kind",
            "skipjack.outcome");
    assertThat(traces.meters.get("skipjack.process").tag("skipjack.outcome", "completed").timer())
        .satisfies(timer -> assertThat(timer.count()).isEqualTo(1));
  }

  @Test
  void conventionsCanBeReplaced(QueueDatabase database) {
    Traces.WithMicrometer traces = new Traces.WithMicrometer();
    runOne(
        database,
        JobObservations.of(traces.registry)
            .convention(
                new EnqueueConvention() {
                  @Override
                  public String getContextualName(EnqueueContext context) {
                    return "send " + context.jobs().get(0).kind();
                  }
                })
            .convention(
                new ProcessConvention() {
                  @Override
                  public String getName() {
                    return "jobs";
                  }

                  @Override
                  public String getContextualName(ProcessContext context) {
                    return "run " + context.job().kind();
                  }
                }));

    assertThat(traces.spans(SpanKind.PRODUCER).get(0).getName()).isEqualTo("send mail");
    assertThat(traces.spans(SpanKind.CONSUMER).get(0).getName()).isEqualTo("run mail");
    assertThat(traces.meters.get("jobs").timer().count()).isEqualTo(1);
  }

  /** Otherwise a test that waits for a job could not rely on its span or its timer. */
  @Test
  void anAttemptIsReportedBeforeTheWorkerReceivesItsOutcome(QueueDatabase database) {
    JobQueue queue = queue(database);
    queue.enqueue(MAIL, "a");
    CompletableFuture<Outcome> pending = new CompletableFuture<>();
    AtomicReference<CompletableFuture<?>> received = new AtomicReference<>();
    List<Boolean> wasDone = new ArrayList<>();
    ObservationRegistry registry =
        registry(job -> wasDone.add(requireNonNull(received.get()).isDone()));

    Worker.on(queue)
        .handle(MAIL, (payload, context) -> Outcome.async(pending))
        .queue("mails", 1)
        .interceptor(
            (job, next) -> {
              Outcome.Async outcome = (Outcome.Async) requireNonNull(next.proceed());
              received.set(outcome.stage().toCompletableFuture());
              pending.complete(Outcome.completed());
              return outcome;
            })
        .interceptor(JobObservations.of(registry))
        .build()
        .runUntilIdle();

    assertThat(wasDone).containsExactly(false);
    assertThat(received.get()).isCompleted();
  }

  @Test
  void anObservationEndsAlsoIfAHandlerFailsToReportItsError(QueueDatabase database) {
    JobQueue queue = queue(database);
    queue.enqueue(MAIL, "a", job -> job.maxAttempts(1));
    List<JobId> ended = new ArrayList<>();
    ObservationRegistry registry = registry(job -> ended.add(job.jobId()));
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<ProcessContext>() {
              @Override
              public void onError(ProcessContext context) {
                throw new IllegalStateException("The exporter is closed.");
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return context instanceof ProcessContext;
              }
            });

    run(
        queue,
        JobObservations.of(registry),
        (payload, context) -> {
          throw new IllegalStateException("failed");
        });

    assertThat(ended).hasSize(1);
  }

  private static ObservationRegistry registry(Consumer<JobContext> atTheEnd) {
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<ProcessContext>() {
              @Override
              public void onStop(ProcessContext context) {
                atTheEnd.accept(context.job());
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return context instanceof ProcessContext;
              }
            });
    return registry;
  }

  private static JobQueue queue(QueueDatabase database) {
    return JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  private static void run(JobQueue queue, JobObservations observations, Handler<String> handler) {
    Worker.on(queue)
        .handle(MAIL, handler)
        .queue("mails", 1)
        .interceptor(observations)
        .build()
        .runUntilIdle();
  }

  private static void runOne(QueueDatabase database, JobObservations observations) {
    JobQueue queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .interceptor(observations)
            .build();
    queue.enqueue(MAIL, "a", job -> job.header("tenant", "acme"));
    run(queue, observations, (payload, context) -> Outcome.completed());
  }

  private static List<String> tags(Traces.WithMicrometer traces, String meter) {
    return traces.meters.get(meter).meters().stream()
        .map(Meter::getId)
        .flatMap(id -> id.getTags().stream())
        .map(Tag::getKey)
        .distinct()
        .toList();
  }
}
