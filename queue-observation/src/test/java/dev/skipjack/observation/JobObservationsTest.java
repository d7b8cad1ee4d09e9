package dev.skipjack.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.opentelemetry.api.trace.SpanKind;
import java.util.List;
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

  private static void runOne(QueueDatabase database, JobObservations observations) {
    JobQueue queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .interceptor(observations)
            .build();
    queue.enqueue(MAIL, "a", job -> job.header("tenant", "acme"));
    Worker.on(queue)
        .handle(MAIL, (payload, context) -> Outcome.completed())
        .queue("mails", 1)
        .interceptor(observations)
        .build()
        .runUntilIdle();
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
