package dev.skipjack.store.jooq.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.model.Tables;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jooq.Field;
import org.junit.jupiter.api.Test;

/** Tests that the insert sets every column of a new job. */
class JobInsertTest {

  /** Columns with a default value, which the claim, the outcome or an operator changes later. */
  private static final List<String> SET_LATER =
      List.of(
          "current_execution_id",
          "lease_expires_at",
          "created_at",
          "updated_at",
          "started_at",
          "died_at",
          "cancel_requested_at",
          "attempts",
          "uncounted_attempts",
          "locked_by",
          "last_error",
          "last_error_class",
          "freed_unique_key",
          "ordering_head",
          "ordering_position",
          "limit_name",
          "progress",
          "awaits",
          "signals");

  /** Values of a job that have no column of that name in {@code jobs}. */
  private static final List<String> ELSEWHERE =
      List.of("idempotency_key", "wakes_up", "traceparent", "has_strict_ordering");

  @Test
  void everyColumnOfJobsIsInsertedOrSetLater() {
    Stream<String> inserted =
        JobInsert.OWNED_COLUMNS.stream()
            .map(JobColumn::target)
            .filter(Objects::nonNull)
            .map(Field::getName);

    assertThat(Stream.of(Stream.of("id", "status"), inserted, SET_LATER.stream()).flatMap(s -> s))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Tables.JOBS.fields()).map(Field::getName).toList());
  }

  @Test
  void everyValueOfANewJobIsInserted() {
    List<String> inserted = JobInsert.OWNED_COLUMNS.stream().map(JobColumn::name).toList();
    List<String> values =
        Arrays.stream(NewJob.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> method.getParameterCount() == 0)
            .map(Method::getName)
            .filter(name -> !name.equals("toString"))
            .map(name -> name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
            .filter(name -> !ELSEWHERE.contains(name))
            .toList();

    assertThat(inserted).containsAll(values);
  }

  @Test
  void onlyJobsWithoutKeysThatDifferInNothingButTheirPayloadsAreUniform() {
    NewJob plain = OtherJobs.PLAIN;

    assertThat(
            Accepted.of(
                List.of(
                    plain,
                    NewJob.of(JobType.of("work", Object.class), "[1]", EnqueueOptions.none()))))
        .isEqualTo(Accepted.UNIFORM);
    assertThat(OtherJobs.all())
        .allSatisfy(
            other -> assertThat(Accepted.of(List.of(plain, other))).isNotEqualTo(Accepted.UNIFORM))
        .filteredOn(
            job -> job.uniqueKey() != null || job.orderingKey() != null || job.group() != null)
        .hasSize(4)
        .allSatisfy(
            keyed -> assertThat(Accepted.of(List.of(keyed, keyed))).isNotEqualTo(Accepted.UNIFORM));
  }
}
