package dev.skipjack.worker;

import dev.skipjack.api.JobError;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.Rescued;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what happened: to the log, and to listeners. Never throws because of a listener. */
final class Reporter {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  private final List<WorkerListener> listeners;

  Reporter(List<WorkerListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void claimed(Attempt attempt) {
    log.debug("Job claimed {}", attempt.info());
    tell(new WorkerEvent.Claimed(attempt.info()));
  }

  void succeeded(Attempt attempt) {
    log.debug("Job completed {}", attempt.info());
    tell(new WorkerEvent.Succeeded(attempt.info()));
  }

  void failed(Attempt attempt, JobError error, Duration retryIn) {
    log.debug(
        "Job attempt failed {} error={} retryInMs={}",
        attempt.info(),
        error.errorClass(),
        retryIn.toMillis());
    tell(new WorkerEvent.Failed(attempt.info(), error, retryIn));
  }

  void dead(Attempt attempt, JobError error) {
    log.error("Job is dead {} error={}", attempt.info(), error.errorClass());
    tell(new WorkerEvent.Dead(attempt.info(), error));
  }

  void snoozed(Attempt attempt, Duration delay) {
    log.debug("Job snoozed {} delayMs={}", attempt.info(), delay.toMillis());
    tell(new WorkerEvent.Snoozed(attempt.info(), delay));
  }

  void released(Attempt attempt) {
    log.debug("Job released {}", attempt.info());
    tell(new WorkerEvent.Released(attempt.info()));
  }

  void cancelRequested(Attempt attempt) {
    log.info("Handler interrupted, its job is to be cancelled {}", attempt.info());
  }

  void cancelled(Attempt attempt) {
    log.info("Job cancelled {}", attempt.info());
    tell(new WorkerEvent.Cancelled(attempt.info()));
  }

  void lost(Attempt attempt) {
    log.warn("Lease lost, outcome discarded {}", attempt.info());
    tell(new WorkerEvent.Lost(attempt.info()));
  }

  void rescued(Rescued rescued) {
    log.warn(
        "Job rescued queue={} kind={} jobId={} executionId={} status={}",
        rescued.queue(),
        rescued.kind(),
        rescued.execution().jobId(),
        rescued.execution().id(),
        rescued.status());
    tell(
        new WorkerEvent.Rescued(
            rescued.execution().jobId(),
            rescued.execution().id(),
            rescued.queue(),
            rescued.kind(),
            rescued.status()));
  }

  void timedOut(Attempt attempt) {
    log.warn("Handler interrupted, its timeout is over {}", attempt.info());
  }

  void ignoredAfterCompletion(Attempt attempt, JobError said) {
    log.warn(
        "Handler did not end well after its completion was committed, which stands {} error={}",
        attempt.info(),
        said.errorClass());
  }

  void refused(int outcomes, Throwable thrown) {
    log.warn(
        "Outcomes refused, will be retried count={} error={}",
        outcomes,
        thrown instanceof StoreException store
            ? store.sqlState().orElse("no SQLSTATE")
            : thrown.getClass().getName());
    log.debug("Outcomes refused because", thrown);
  }

  void partitionsCreated(List<String> partitions) {
    if (!partitions.isEmpty()) {
      log.info("Partitions created partitions={}", partitions);
    }
  }

  void partitionsRemoved(List<String> partitions, long rows) {
    if (!partitions.isEmpty() || rows > 0) {
      log.info("History removed partitions={} rows={}", partitions, rows);
    }
  }

  void pruned(Pruned pruned) {
    if (pruned.keys() > 0 || pruned.jobs() > 0) {
      log.info("Pruned deadJobs={} keys={}", pruned.jobs(), pruned.keys());
    }
  }

  void cannotListen(Throwable why) {
    log.warn("Wake-ups cannot be heard, jobs are found by polling only", why);
  }

  void partitionPostponed(Postponed postponed) {
    switch (postponed.reason()) {
      case BUSY, RUNNING, UNFINISHED ->
          log.info(
              "Partition postponed partition={} reason={}",
              postponed.partition(),
              postponed.reason());
      case FORBIDDEN, IN_THE_WAY ->
          log.warn(
              "Partition needs a person partition={} reason={}",
              postponed.partition(),
              postponed.reason());
    }
  }

  void loopFailed(String loop, Throwable error) {
    log.warn("Worker loop failed, will go on trying loop={}", loop, error);
    tell(new WorkerEvent.LoopFailed(loop, error));
  }

  void loopRecovered(String loop) {
    log.warn("Worker loop recovered loop={}", loop);
    tell(new WorkerEvent.LoopRecovered(loop));
  }

  private void tell(WorkerEvent event) {
    for (WorkerListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable thrown) {
        log.warn(
            "Worker listener failed event={} listener={}",
            event.getClass().getSimpleName(),
            listener.getClass().getName(),
            thrown);
      }
    }
  }
}
