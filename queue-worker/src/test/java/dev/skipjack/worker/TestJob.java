package dev.skipjack.worker;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;

/**
 * A job to add to a {@link MemoryStore}. A test sets only what matters to it: {@code
 * store.add(job().priority(5))}.
 */
record TestJob(
    String queue, String kind, String payload, int payloadVersion, int priority, int maxAttempts) {

  /** Returns a job of kind {@code k} in queue {@code q}, with priority 0 and three attempts. */
  static TestJob job() {
    return new TestJob("q", "k", "job", 1, 0, 3);
  }

  TestJob queue(String name) {
    return new TestJob(name, kind, payload, payloadVersion, priority, maxAttempts);
  }

  TestJob kind(String name) {
    return new TestJob(queue, name, payload, payloadVersion, priority, maxAttempts);
  }

  TestJob payload(String text) {
    return new TestJob(queue, kind, text, payloadVersion, priority, maxAttempts);
  }

  TestJob payloadVersion(int version) {
    return new TestJob(queue, kind, payload, version, priority, maxAttempts);
  }

  TestJob priority(int level) {
    return new TestJob(queue, kind, payload, payloadVersion, level, maxAttempts);
  }

  TestJob maxAttempts(int attempts) {
    return new TestJob(queue, kind, payload, payloadVersion, priority, attempts);
  }

  NewJob toNewJob() {
    return NewJob.of(
        JobType.of(kind, String.class).onQueue(queue).payloadVersion(payloadVersion),
        payload,
        EnqueueOptions.none().priority(priority).maxAttempts(maxAttempts));
  }
}
