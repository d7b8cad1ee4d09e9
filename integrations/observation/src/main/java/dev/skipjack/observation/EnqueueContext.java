package dev.skipjack.observation;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The context of the observation of a call that enqueues jobs. */
public final class EnqueueContext extends SenderContext<Map<String, String>> {

  private final List<NewJob> jobs;
  private @Nullable List<EnqueueResult> results;

  EnqueueContext(List<NewJob> jobs) {
    super(
        (headers, name, value) -> {
          if (headers != null) {
            headers.put(name, value);
          }
        },
        Kind.PRODUCER);
    this.jobs = jobs;
    setCarrier(new LinkedHashMap<>());
  }

  /** {@return the jobs of the call, at least one} */
  public List<NewJob> jobs() {
    return jobs;
  }

  /** {@return the result of each job, or an empty list if the call has not returned} */
  public List<EnqueueResult> results() {
    return results == null ? List.of() : results;
  }

  void enqueued(List<EnqueueResult> done) {
    results = done;
  }

  Map<String, String> propagated() {
    Map<String, String> carrier = getCarrier();
    return carrier == null ? Map.of() : carrier;
  }
}
