package dev.skipjack.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NewJobTest {

  private static final JobType<String> TYPE =
      JobType.of("greet", String.class).onQueue("emails").priority(1).maxAttempts(2);

  @Test
  void optionsOverrideTheTypeAndTheTypeOverridesTheQueue() {
    NewJob plain = NewJob.of(JobType.of("greet", String.class), "{}", EnqueueOptions.none());
    NewJob typed = NewJob.of(TYPE, "{}", EnqueueOptions.none());
    NewJob chosen =
        NewJob.of(TYPE, "{}", EnqueueOptions.none().onQueue("other").priority(3).maxAttempts(4));

    assertThat(plain.queue()).isEqualTo("default");
    assertThat(plain.priority()).isNull();
    assertThat(plain.maxAttempts()).isNull();
    assertThat(typed.queue()).isEqualTo("emails");
    assertThat(typed.priority()).isEqualTo(1);
    assertThat(typed.maxAttempts()).isEqualTo(2);
    assertThat(chosen.queue()).isEqualTo("other");
    assertThat(chosen.priority()).isEqualTo(3);
    assertThat(chosen.maxAttempts()).isEqualTo(4);
  }

  /** An option that {@code NewJob} does not return would never be written. */
  @Test
  void everyOptionIsAValueOfTheJob() {
    assertThat(values(NewJob.class))
        .containsAll(
            values(EnqueueOptions.class).filter(name -> !name.equals("idempotencyKept")).toList());
  }

  private static Stream<String> values(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getParameterCount() == 0 && method.getReturnType() != type)
        .map(Method::getName);
  }

  @Test
  void aChangeKeepsEverythingElse() {
    UniqueKey key = new UniqueKey("kind/greet/k", "k", UniqueUntil.STARTED);

    NewJob job =
        NewJob.of(TYPE, "{}", EnqueueOptions.none().at(Instant.EPOCH).withoutWakeUp())
            .unique(key)
            .tagged(List.of("a", "a"))
            .delayed(Duration.ofSeconds(5));

    assertThat(job.uniqueKey()).isEqualTo(key);
    assertThat(job.tags()).containsExactly("a");
    assertThat(job.delay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(job.scheduledAt()).isNull();
    assertThat(job.wakesUp()).isFalse();
    assertThat(job.payload()).isEqualTo("{}");
  }

  @Test
  void strictOrderingComesFromTypeOrOptionsAndNeedsAKey() {
    EnqueueOptions keyed = EnqueueOptions.none().orderingKey("k");

    assertThat(NewJob.of(TYPE, "{}", keyed).hasStrictOrdering()).isFalse();
    assertThat(NewJob.of(TYPE, "{}", keyed.strictOrdering()).hasStrictOrdering()).isTrue();
    assertThat(NewJob.of(TYPE.strictOrdering(), "{}", keyed).hasStrictOrdering()).isTrue();
    assertThat(
            NewJob.of(TYPE.strictOrdering(), "{}", EnqueueOptions.none().strictOrdering())
                .hasStrictOrdering())
        .isFalse();
  }

  @Test
  void aSecondKeyIsRefused() {
    NewJob once = NewJob.of(TYPE, "{}", EnqueueOptions.none().idempotencyKey("request-1"));
    UniqueKey key = new UniqueKey("kind/greet/k", "k", UniqueUntil.STARTED);

    assertThat(once.idempotencyKey())
        .isEqualTo(IdempotencyKey.ofKind("greet", "request-1", Duration.ofHours(24)));
    assertThatThrownBy(() -> once.unique(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'greet' has a unique key and an idempotency key");
    assertThatThrownBy(() -> once.once(new IdempotencyKey("k", Duration.ofHours(1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOwnerIsKeptInAHeaderThatOnlySkipjackSets() {
    NewJob plain = NewJob.of(TYPE, "{}", EnqueueOptions.none().header("tenant", "a"));
    NewJob owned = plain.ownedBy(42).tagged(List.of("a")).withoutHeader("skipjack-owner");

    assertThat(plain.owner()).isNull();
    assertThat(owned.owner()).isEqualTo(42);
    assertThat(owned.headers()).containsEntry("skipjack-owner", "42").containsEntry("tenant", "a");
    assertThat(Headers.owner(owned.headers())).isEqualTo(42);
    assertThat(Headers.owner(plain.headers())).isNull();
    assertThat(Headers.withoutReserved(owned.headers())).isEqualTo(plain.headers());
  }

  @Test
  void anOwnedJobHasNoKey() {
    NewJob owned = NewJob.of(TYPE, "{}", EnqueueOptions.none()).ownedBy(42);
    assertThatThrownBy(() -> owned.once(new IdempotencyKey("k", Duration.ofHours(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'greet' has an owner and a key");
    assertThatThrownBy(() -> owned.unique(new UniqueKey("k", "k", UniqueUntil.ENDED)))
        .hasMessageContaining("neither a unique key nor an idempotency key");
  }

  @Test
  void messagesShowKindAndQueueButNotThePayload() {
    assertThat(NewJob.of(TYPE, "{\"secret\":1}", EnqueueOptions.none()))
        .hasToString("NewJob[greet, queue 'emails']");
  }
}
