package dev.skipjack.spring.test;

import dev.skipjack.api.JobRunner;
import dev.skipjack.spring.SkipjackWorker;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Runs jobs with the handlers of the application in the calling thread, and within its transaction
 * if it has one. Safe for any number of threads, which run jobs one after another.
 */
final class TestJobRunner implements JobRunner, SmartInitializingSingleton {

  /** So long that the lease is not renewed while a handler uses the connection. */
  private static final WorkerConfig WITHOUT_RENEWAL =
      WorkerConfig.builder().lease(Duration.ofHours(12)).build();

  private final JobQueue queue;
  private final ObjectProvider<SkipjackWorker> application;
  private final CallersTransaction transaction;
  private final ObjectProvider<Failures> failures;
  private volatile @Nullable Connection joined;
  private @Nullable Worker own;
  private @Nullable Worker within;

  TestJobRunner(
      JobQueue queue,
      ObjectProvider<SkipjackWorker> application,
      CallersTransaction transaction,
      ObjectProvider<Failures> failures) {
    this.queue = queue;
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
    if (transaction.connection().isEmpty()) {
      return require(own).runUntilIdle();
    }
    int attempts = 0;
    while (runNext()) {
      attempts++;
    }
    return attempts;
  }

  @Override
  public synchronized boolean runNext() {
    Optional<Connection> open = transaction.connection();
    if (open.isEmpty()) {
      return require(own).runNext();
    }
    transaction.flush();
    joined = open.get();
    try {
      return require(within).runNext();
    } finally {
      joined = null;
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
