package dev.skipjack.worker;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.spi.Suspension;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Calls the handler of a kind through the interceptors, with the MDC set. */
final class Invocation {

  /**
   * The average delay of a job whose payload has a later version, so that a newer worker can claim
   * it.
   */
  private static final Duration LEFT_TO_OTHERS = Duration.ofSeconds(15);

  private final HandlerRegistry handlers;
  private final PayloadCodec codec;
  private final List<ExecutionInterceptor> interceptors;
  private final Reporter reporter;

  Invocation(
      HandlerRegistry handlers,
      PayloadCodec codec,
      List<ExecutionInterceptor> interceptors,
      Reporter reporter) {
    this.handlers = handlers;
    this.codec = codec;
    this.interceptors = List.copyOf(interceptors);
    this.reporter = reporter;
  }

  @Nullable Outcome call(Attempt attempt, JobContext context) throws Exception {
    Registration<?> registration = handlers.of(attempt.job().kind());
    if (registration == null) {
      throw new IllegalStateException(
          "No handler for kind '%s' (job %s, queue '%s'). Registered: %s."
              .formatted(
                  attempt.job().kind(),
                  attempt.execution().jobId(),
                  attempt.job().queue(),
                  String.join(", ", handlers.kinds())));
    }
    JobType<?> type = registration.type();
    if (attempt.job().payloadVersion() > type.payloadVersion()) {
      reporter.leftToNewer(attempt, type.payloadVersion());
      return Outcome.snooze(
          Duration.ofNanos(Jitter.around(LEFT_TO_OTHERS.toNanos(), ThreadLocalRandom.current())));
    }
    Map<String, String> outer = MDC.getCopyOfContextMap();
    try {
      MDC.put("queue", attempt.job().queue());
      MDC.put("kind", attempt.job().kind());
      MDC.put("jobId", attempt.execution().jobId().toString());
      MDC.put("attempt", Integer.toString(attempt.job().attempt()));
      return chain(registration, attempt, context).proceed();
    } finally {
      // MDC entries that the handler left must not appear in the log lines of the thread's next
      // job.
      if (outer == null) {
        MDC.clear();
      } else {
        MDC.setContextMap(outer);
      }
    }
  }

  private ExecutionInterceptor.Next chain(
      Registration<?> registration, Attempt attempt, JobContext context) {
    ExecutionInterceptor.Next next = () -> run(registration, attempt, context);
    for (int i = interceptors.size() - 1; i >= 0; i--) {
      ExecutionInterceptor interceptor = interceptors.get(i);
      ExecutionInterceptor.Next inner = next;
      next = () -> interceptor.around(context, inner);
    }
    return next;
  }

  /** Calls the handler. If it suspends the job, interceptors see a snooze and not the error. */
  private @Nullable Outcome run(Registration<?> registration, Attempt attempt, JobContext context)
      throws Exception {
    try {
      return registration.run(attempt.job(), codec, context);
    } catch (Throwable thrown) {
      Suspension suspension = attempt.suspension();
      if (suspension == null) {
        throw thrown;
      }
      return Outcome.snooze(suspension.until());
    }
  }
}
