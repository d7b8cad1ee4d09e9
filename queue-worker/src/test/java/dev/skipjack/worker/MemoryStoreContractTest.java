package dev.skipjack.worker;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.testkit.AttemptContract;
import java.sql.Connection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Tests that the fake behaves like the real store. */
class MemoryStoreContractTest extends AttemptContract {

  private final MemoryStore store = new MemoryStore();

  @Override
  protected JobStore store() {
    return store;
  }

  @Override
  protected JobEnqueuer enqueuer() {
    return new Enqueuer();
  }

  @Override
  protected JobDetails find(JobId job) {
    return store.find(job);
  }

  @Override
  protected Connection transaction() {
    return store.begin();
  }

  @Override
  protected Connection hold(JobId job) {
    return store.lock(job);
  }

  private final class Enqueuer implements JobEnqueuer {

    @Override
    public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
      return enqueueAll(type, List.of(payload), options).get(0);
    }

    @Override
    public <T> List<JobId> enqueueAll(
        JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
      List<NewJob> jobs =
          payloads.stream()
              .map(
                  payload ->
                      NewJob.of(type, store.encode(payload), options.apply(EnqueueOptions.none())))
              .toList();
      return store.enqueue(jobs).stream().map(EnqueueResult::jobId).toList();
    }

    @Override
    public <T> EnqueueResult enqueueOnce(
        JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
      throw new UnsupportedOperationException("The store in memory has no keys.");
    }

    @Override
    public <T> List<EnqueueResult> enqueueAllOnce(
        JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options) {
      throw new UnsupportedOperationException("The store in memory has no keys.");
    }
  }
}
