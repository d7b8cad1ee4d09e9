package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.payload.PayloadLimits;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Creates a {@link NewJob} from its type, payload and options. Rejects invalid values before any
 * SQL runs.
 */
final class NewJobFactory {

  private static final String JSON_NULL = "null";

  private final PayloadCodec codec;
  private final PayloadLimits limits;

  /**
   * Caches the classes that passed the check. A ClassValue does not prevent a class from being
   * unloaded.
   */
  private final ClassValue<Boolean> readable =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> payloadClass) {
          codec.requireReadable(payloadClass);
          return true;
        }
      };

  NewJobFactory(PayloadCodec codec, PayloadLimits limits) {
    this.codec = codec;
    this.limits = limits;
  }

  <T> NewJob create(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    Boolean unused = readable.get(type.payloadClass());
    EnqueueOptions chosen = options.apply(EnqueueOptions.none());
    if (chosen.orderingKey().isEmpty() && payload != null) {
      chosen = type.orderingKey(payload).map(chosen::orderingKey).orElse(chosen);
    }
    if (chosen.group().isEmpty() && payload != null) {
      chosen = type.group(payload).map(chosen::group).orElse(chosen);
    }
    return NewJob.of(type, encode(type.kind(), payload), chosen);
  }

  private String encode(String kind, @Nullable Object payload) {
    return limits.require(kind, payload == null ? JSON_NULL : codec.encode(payload));
  }

  /** Returns the JSON of a payload that replaces the payload of {@code job}. */
  String encodeEdit(JobId job, Object payload) {
    return limits.require(job, codec.encode(payload));
  }

  /** Returns {@code json} if it can be applied to payloads as a patch. */
  String requirePatch(String json) {
    return PayloadLimits.requirePatch(json);
  }

  /** Returns the maximum size of a stored payload, in bytes as PostgreSQL writes it. */
  long largestStored() {
    return limits.largestWritten();
  }

  /** Returns the JSON of a result. Error messages name {@code kind}. */
  String encodeResult(String kind, Object result) {
    return limits.requireResult(kind, codec.encode(result));
  }
}
