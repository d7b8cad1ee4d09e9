package dev.skipjack.observation;

import dev.skipjack.worker.JobContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The context of the observation of an attempt. */
public final class ProcessContext extends ReceiverContext<Map<String, String>> {

  private final JobContext job;
  private final boolean continuesTrace;
  private @Nullable String outcome;

  ProcessContext(JobContext job, boolean continuesTrace) {
    super(
        (headers, name) ->
            headers == null
                ? null
                : continuesTrace
                    ? TraceHeaders.read(headers, name)
                    : TraceHeaders.readWithoutSpan(headers, name),
        Kind.CONSUMER);
    this.job = job;
    this.continuesTrace = continuesTrace;
    setCarrier(job.headers());
  }

  /** {@return the context that the handler receives} */
  public JobContext job() {
    return job;
  }

  /**
   * {@return the outcome in lower case, for example {@code completed}; {@code failed} if the
   * handler threw an exception, and empty until the attempt has ended}
   */
  public Optional<String> outcome() {
    return Optional.ofNullable(outcome);
  }

  boolean continuesTrace() {
    return continuesTrace;
  }

  /**
   * {@return the W3C traceparent of the enqueuer if the attempt is not a part of that trace, so
   * that a span of the attempt can have a link to it}
   */
  public Optional<String> linkedTraceparent() {
    return continuesTrace ? Optional.empty() : job.traceparent();
  }

  void ended(String name) {
    outcome = name;
  }
}
