package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * An enqueuer that writes through one way to the database: a transaction of its own or a caller's.
 */
final class BoundEnqueuer implements JobEnqueuer {

  private final JobDrafts drafts;
  private final Function<List<NewJob>, List<JobId>> insert;

  BoundEnqueuer(JobDrafts drafts, Function<List<NewJob>, List<JobId>> insert) {
    this.drafts = drafts;
    this.insert = insert;
  }

  @Override
  public <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
    return insert.apply(List.of(drafts.draft(type, payload, options))).get(0);
  }

  @Override
  public <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options) {
    return insert.apply(
        payloads.stream().map(payload -> drafts.draft(type, payload, options)).toList());
  }
}
