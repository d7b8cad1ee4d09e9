package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Runs attempts in the calling thread and hands what became of them to the flusher. */
final class AttemptRunner {

  private final JobStore store;
  private final PayloadCodec codec;
  private final HandlerRegistry handlers;
  private final WorkerId worker;
  private final RunningJobs running;
  private final OutcomeFlusher flusher;
  private final ScheduledExecutorService timer;
  private final Reporter reporter;

  AttemptRunner(
      JobStore store,
      PayloadCodec codec,
      HandlerRegistry handlers,
      WorkerId worker,
      RunningJobs running,
      OutcomeFlusher flusher,
      ScheduledExecutorService timer,
      Reporter reporter) {
    this.store = store;
    this.codec = codec;
    this.handlers = handlers;
    this.worker = worker;
    this.running = running;
    this.flusher = flusher;
    this.timer = timer;
    this.reporter = reporter;
  }

  /** Runs the handler, unless the attempt was ended while it waited. */
  void run(Attempt attempt) {
    if (!attempt.holdsLease()) {
      // Heartbeats failed for a whole lease, or the process was frozen: somebody else may run it.
      giveBack(attempt);
      return;
    }
    if (!attempt.begin()) {
      return;
    }
    try {
      runBound(attempt);
    } catch (Throwable lastResort) {
      // Not even its failure could be noted. Let the lease run out, so that others rescue it.
      attempt.finish();
      attempt.stopRenewing();
      running.settle(attempt);
      throw lastResort;
    }
  }

  /** Ends an attempt early, for the shutdown; an attempt that has ended by itself is left alone. */
  void giveBack(Attempt attempt) {
    Attempt.Stop before = attempt.release();
    if (before == Attempt.Stop.LOST) {
      running.settle(attempt);
    } else if (before == Attempt.Stop.TIMED_OUT) {
      conclude(attempt, handlers.of(attempt.job().kind()), null, null, true);
    } else if (before == Attempt.Stop.NONE || before == Attempt.Stop.CANCELLED) {
      flusher.offer(attempt, new Ending.GivenBack(ExecutionStatus.RELEASED, Duration.ZERO));
    }
  }

  private void runBound(Attempt attempt) {
    Registration<?> registration = handlers.of(attempt.job().kind());
    Outcome outcome = null;
    Throwable thrown = null;
    long began = System.nanoTime();
    try {
      outcome = call(attempt, registration);
    } catch (Throwable failure) {
      thrown = failure;
    }
    Attempt.Stop stop = attempt.finish();
    attempt.queue().ran(System.nanoTime() - began);
    if (stop == Attempt.Stop.LOST) {
      running.settle(attempt);
    } else if (stop != Attempt.Stop.RELEASED) { // released: already in the flusher's hands
      conclude(attempt, registration, outcome, thrown, stop == Attempt.Stop.TIMED_OUT);
    }
  }

  private @Nullable Outcome call(Attempt attempt, @Nullable Registration<?> registration)
      throws Exception {
    if (registration == null) {
      throw new IllegalStateException(
          "No handler for kind '%s' (job %s, queue '%s'). Registered: %s."
              .formatted(
                  attempt.job().kind(),
                  attempt.execution().jobId(),
                  attempt.job().queue(),
                  String.join(", ", handlers.kinds())));
    }
    Map<String, String> context = MDC.getCopyOfContextMap();
    Future<?> timeout = scheduleTimeout(attempt, registration);
    try {
      MDC.put("queue", attempt.job().queue());
      MDC.put("kind", attempt.job().kind());
      MDC.put("jobId", attempt.execution().jobId().toString());
      MDC.put("attempt", Integer.toString(attempt.job().attempt()));
      return registration.run(
          attempt.job().payload(), codec, new AttemptContext(attempt, worker, store, reporter));
    } finally {
      if (timeout != null) {
        timeout.cancel(false);
      }
      // Whatever the handler left there must not label the next job of this thread.
      if (context == null) {
        MDC.clear();
      } else {
        MDC.setContextMap(context);
      }
    }
  }

  private @Nullable Future<?> scheduleTimeout(Attempt attempt, Registration<?> registration) {
    Duration timeout = registration.type().timeout().orElse(null);
    if (timeout == null) {
      return null;
    }
    return timer.schedule(
        () -> {
          if (attempt.timeOut()) {
            reporter.timedOut(attempt);
          }
        },
        timeout.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void conclude(
      Attempt attempt,
      @Nullable Registration<?> registration,
      @Nullable Outcome outcome,
      @Nullable Throwable thrown,
      boolean timedOut) {
    flusher.offer(
        attempt,
        EndingRules.decide(
            attempt,
            registration == null ? null : registration.type(),
            outcome,
            thrown,
            timedOut,
            ThreadLocalRandom.current()));
  }
}
