package dev.skipjack.spring.test;

import dev.skipjack.api.JobRunner;
import dev.skipjack.api.JobType;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.TestQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Runs jobs with the handlers of the application in the calling thread, and within its transaction
 * if it has one. Safe for any number of threads, which run jobs one after another.
 */
final class TestJobRunner implements JobRunner, SmartInitializingSingleton {

  /** Has a lease so long that no renewal happens while a handler uses the connection. */
  private static final WorkerConfig WITHOUT_RENEWAL =
      WorkerConfig.builder().lease(Duration.ofHours(12)).build();

  private static final Logger LOG = LoggerFactory.getLogger(TestJobRunner.class);

  private final JobQueue queue;
  private final TestQueue jobs;
  private final ObjectProvider<SkipjackWorker> application;
  private final CallersTransaction transaction;
  private final ObjectProvider<Failures> failures;
  private volatile @Nullable Connection joined;
  private @Nullable Worker own;
  private @Nullable Worker within;

  TestJobRunner(
      JobQueue queue,
      TestQueue jobs,
      ObjectProvider<SkipjackWorker> application,
      CallersTransaction transaction,
      ObjectProvider<Failures> failures) {
    this.queue = queue;
    this.jobs = jobs;
    this.application = application;
    this.transaction = transaction;
    this.failures = failures;
  }

  /** Builds the workers, so that an incorrectly declared handler fails the start of the context. */
  @Override
  public void afterSingletonsInstantiated() {
    SkipjackWorker worker = application.getIfUnique();
    if (worker != null) {
      own = worker.build(queue, this::observe).orElse(null);
      within =
          worker
              .build(
                  queue.within(() -> Objects.requireNonNull(joined)),
                  builder -> {
                    observe(builder.config(WITHOUT_RENEWAL));
                    builder.interceptor(
                        (context, next) -> transaction.inSavepoint(next::proceed, outcome -> true));
                  })
              .orElse(null);
    }
  }

  private void observe(Worker.Builder worker) {
    failures.ifAvailable(collector -> collector.addTo(worker));
  }

  @Override
  public synchronized int runUntilIdle() {
    int attempts = 0;
    if (transaction.connection().isEmpty()) {
      attempts = require(own).runUntilIdle();
    } else {
      while (runNextWithin()) {
        attempts++;
      }
    }
    if (attempts == 0) {
      warnOfQueuesNotServed();
    }
    return attempts;
  }

  @Override
  public synchronized boolean runNext() {
    boolean hasRun = transaction.connection().isEmpty() ? require(own).runNext() : runNextWithin();
    if (!hasRun) {
      warnOfQueuesNotServed();
    }
    return hasRun;
  }

  private boolean runNextWithin() {
    transaction.flush();
    joined = transaction.connection().orElseThrow();
    try {
      return require(within).runNext();
    } finally {
      joined = null;
    }
  }

  /**
   * Warns of due jobs that no run reaches, because a test that expects them to run would fail
   * without explanation.
   */
  private void warnOfQueuesNotServed() {
    Worker worker = require(own);
    List<String> kinds = worker.types().stream().map(JobType::kind).toList();
    List<String> others = jobs.queuesNotServed(kinds, worker.queues());
    if (!others.isEmpty()) {
      LOG.warn(
          "No job run, although jobs of handled kinds are due in queues that the application's"
              + " worker does not serve dueIn={} served={}",
          others,
          worker.queues());
    }
  }

  private Worker require(@Nullable Worker worker) {
    if (worker == null) {
      throw new IllegalStateException(
          application.getIfUnique() == null
              ? "The application has no worker to run jobs, because of"
                  + " skipjack.worker.enabled=false. Remove the property in this test."
              : "The application has no worker to run jobs, because no bean in this test has a"
                  + " @JobHandler method. Add the class of the bean, for example with @Import.");
    }
    return worker;
  }
}
