package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.spi.NewJob;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the job to be written out of type, payload and options; whatever is wrong with them shows
 * here, before any SQL.
 */
final class JobDrafts {

  private static final String JSON_NULL = "null";

  private final PayloadCodec codec;
  private final PayloadLimits limits;

  /** Holds an entry for each class that passed; keeps no class from being unloaded. */
  private final ClassValue<Boolean> readable =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> payloadClass) {
          codec.requireReadable(payloadClass);
          return true;
        }
      };

  JobDrafts(PayloadCodec codec, PayloadLimits limits) {
    this.codec = codec;
    this.limits = limits;
  }

  <T> NewJob draft(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    Boolean unused = readable.get(type.payloadClass());
    EnqueueOptions chosen = options.apply(EnqueueOptions.none());
    return NewJob.of(type, encode(type.kind(), payload), chosen);
  }

  /** A payload as it is written; {@code kind} names it in a refusal. */
  String encode(String kind, @Nullable Object payload) {
    return limits.require(kind, payload == null ? JSON_NULL : codec.encode(payload));
  }

  /** A result as it is written; {@code kind} names it in a refusal. */
  String encodeResult(String kind, Object result) {
    return limits.requireResult(kind, codec.encode(result));
  }
}
