package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.store.jooq.internal.payload.JacksonCodec;
import dev.skipjack.store.jooq.internal.payload.PayloadLimits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewJobFactoryTest {

  interface Shape {
    int area();
  }

  record Drawing(int id, Shape shape) {}

  record Point(int x) {}

  private static final PayloadLimits LIMITS = new PayloadLimits(PayloadLimits.LARGEST);
  private static final PayloadCodec CODEC = new JacksonCodec();

  @Test
  void anUnreadableClassIsRefusedEachTimeAndAReadableOneIsCheckedOnce() {
    AtomicInteger asked = new AtomicInteger();
    PayloadCodec counting =
        new PayloadCodec() {
          @Override
          public String encode(Object payload) {
            return CODEC.encode(payload);
          }

          @Override
          public <T> T decode(String json, Class<T> payloadClass) {
            return CODEC.decode(json, payloadClass);
          }

          @Override
          public void requireReadable(Class<?> payloadClass) {
            asked.incrementAndGet();
            CODEC.requireReadable(payloadClass);
          }
        };
    NewJobFactory jobFactory = new NewJobFactory(counting, LIMITS);
    JobType<Drawing> unreadable = JobType.of("k", Drawing.class);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(
              () ->
                  jobFactory.create(unreadable, new Drawing(1, () -> 2), UnaryOperator.identity()))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("at '/shape'")
          // A permanent failure would make the job of a handler that enqueues it dead.
          .satisfies(refused -> assertThat(((PayloadException) refused).isPermanent()).isFalse());
    }
    asked.set(0);
    for (int i = 0; i < 3; i++) {
      jobFactory.create(JobType.of("k" + i, Point.class), new Point(i), UnaryOperator.identity());
    }
    assertThat(asked).hasValue(1);
  }

  /** Deep trees must be rejected before they exhaust the stack. */
  @ParameterizedTest
  @ValueSource(ints = {101, 5_000, 50_000})
  void deepTreesAreRefused(int depth) {
    Object tree = List.of();
    for (int i = 1; i < depth; i++) {
      tree = List.of(tree);
    }
    Object deep = tree;

    assertThatThrownBy(
            () ->
                new NewJobFactory(CODEC, LIMITS)
                    .create(JobType.of("k", Object.class), deep, UnaryOperator.identity()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("nest")
        .hasMessageContaining("at '/0/0/0/0")
        .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(700));
  }

  @Test
  void nullIsRefusedAsPayload() {
    PayloadCodec toNull =
        new PayloadCodec() {
          @Override
          public String encode(Object payload) {
            return "null";
          }

          @Override
          public <T> T decode(String json, Class<T> payloadClass) {
            throw new AssertionError();
          }
        };
    JobType<Object> type = JobType.of("k", Object.class);

    assertThatThrownBy(
            () ->
                new NewJobFactory(toNull, LIMITS).create(type, Map.of(), UnaryOperator.identity()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("null");
  }
}
