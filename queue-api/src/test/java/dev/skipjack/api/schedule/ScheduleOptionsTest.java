package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that a schedule stores an option of its jobs or refuses it, and never ignores one. */
class ScheduleOptionsTest {

  private static final Map<String, UnaryOperator<EnqueueOptions>> STORED =
      Map.of(
          "priority", job -> job.priority(5),
          "maxAttempts", job -> job.maxAttempts(5),
          "onQueue", job -> job.onQueue("mails"),
          "tags", job -> job.tags("tag"));

  private static final Map<String, UnaryOperator<EnqueueOptions>> REFUSED =
      Map.of(
          "delay", job -> job.delay(Duration.ofSeconds(1)),
          "at", job -> job.at(Instant.EPOCH),
          "idempotencyKey", job -> job.idempotencyKey("key"),
          "traceparent",
              job -> job.traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
          "header", job -> job.header("name", "value"),
          "headers", job -> job.headers(Map.of("name", "value")),
          "orderingKey", job -> job.orderingKey("key"),
          "strictOrdering", job -> job.strictOrdering(),
          "group", job -> job.group("tenant-1"),
          "withoutWakeUp", job -> job.withoutWakeUp());

  /** Options that set nothing. */
  private static final Set<String> NEITHER = Set.of("withoutHeader");

  @Test
  void everyOptionIsStoredOrRefused() {
    assertThat(
            Stream.of(EnqueueOptions.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getReturnType() == EnqueueOptions.class)
                .map(Method::getName)
                .collect(Collectors.toSet()))
        .isEqualTo(
            Stream.of(STORED.keySet(), REFUSED.keySet(), NEITHER)
                .flatMap(Set::stream)
                .collect(Collectors.toSet()));
    STORED.forEach((name, option) -> assertThat(schedule(option)).as(name).isNotNull());
    REFUSED.forEach(
        (name, option) ->
            assertThatIllegalArgumentException()
                .as(name)
                .isThrownBy(() -> schedule(option))
                .withMessageContaining("Schedule 'nightly' sets"));
  }

  @Test
  void aFixedPayloadCannotHaveAKeyOrAGroupThatItsTypeDerives() {
    Schedule.Named nightly = Schedule.every(Duration.ofHours(1)).named("nightly");
    JobType<String> type = JobType.of("report", String.class);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> nightly.enqueue(type.groupedBy(payload -> payload), "tenant-1"))
        .withMessage(
            "Schedule 'nightly' has a fixed payload, so its jobs cannot have the group of kind 'report'. Use enqueueFrom.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nightly.enqueue(type.orderedBy(payload -> payload), "account-1"))
        .withMessageContaining("the ordering key of kind 'report'");
    assertThat(nightly.enqueueFrom(type.groupedBy(payload -> payload), planned -> "tenant-1"))
        .isNotNull();
  }

  private static Schedule schedule(UnaryOperator<EnqueueOptions> option) {
    return Schedule.every(Duration.ofHours(1))
        .named("nightly")
        .enqueue(JobType.of("report", String.class), "", option);
  }
}
