package dev.skipjack.worker;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.spi.ClaimedJob;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The handlers of a worker by kind. Immutable. */
final class HandlerRegistry {

  /** A job type and its handler. */
  record Registration<T>(JobType<T> type, Handler<T> handler) {

    @Nullable Outcome run(ClaimedJob job, PayloadCodec codec, JobContext context) throws Exception {
      String payload = job.payload();
      if (job.payloadVersion() < type.payloadVersion()) {
        payload =
            Objects.requireNonNull(
                type.upcaster().upcast(payload, job.payloadVersion()),
                () ->
                    "The upcaster of kind '%s' returned null for a payload of version %d."
                        .formatted(type.kind(), job.payloadVersion()));
      }
      return handler.handle(codec.decode(payload, type.payloadClass()), context);
    }
  }

  private final Map<String, Registration<?>> byKind;

  HandlerRegistry(Map<String, Registration<?>> byKind) {
    this.byKind = new TreeMap<>(byKind);
  }

  List<String> kinds() {
    return List.copyOf(byKind.keySet());
  }

  Iterable<Registration<?>> all() {
    return byKind.values();
  }

  /** Returns the registration of a kind, or null if the kind has no handler. */
  @Nullable Registration<?> of(String kind) {
    return byKind.get(kind);
  }

  /** Returns the job type of a kind, or null if the kind has no handler. */
  @Nullable JobType<?> typeOf(String kind) {
    Registration<?> registration = byKind.get(kind);
    return registration == null ? null : registration.type();
  }
}
