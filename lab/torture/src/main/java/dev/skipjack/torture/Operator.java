package dev.skipjack.torture;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.RedriveResult;
import java.util.List;
import java.util.random.RandomGenerator;

/** Redrives or skips dead jobs of ordering keys, and records the results. Used by one thread. */
final class Operator {

  /** The detail of a result if the job was redriven. */
  static final String REDRIVEN = RedriveResult.Redriven.class.getSimpleName();

  private static final int REDRIVEN_TOGETHER = 5;

  private final JobReader reader;
  private final QueueAdmin admin;
  private final HistoryFile history;

  Operator(JobReader reader, QueueAdmin admin, HistoryFile history) {
    this.reader = reader;
    this.admin = admin;
    this.history = history;
  }

  /** Redrives or skips the head of every blocked key that has waiting jobs. */
  void freeBlockedKeys(RandomGenerator random) {
    try {
      for (BlockedKey key : reader.blockedKeys()) {
        if (key.waiting() > 0 && random.nextBoolean()) {
          redrive(List.of(key.head()));
        } else if (key.waiting() > 0) {
          history.write(
              EventType.UNBLOCK_REQUESTED, Event.NONE, key.head().value(), 0, key.orderingKey());
          admin.unblock(key.orderingKey(), key.head());
        }
      }
    } catch (StoreException failure) {
      failed(failure);
    }
  }

  /** Redrives a few dead jobs of ordering keys together. */
  void redriveDeadJobs() {
    JobQuery dead =
        JobQuery.live()
            .queue(Work.QUEUE)
            .kind(Work.type(Workload.ORDERED).kind())
            .status(JobStatus.DEAD)
            .limit(REDRIVEN_TOGETHER);
    try {
      List<JobId> jobs = reader.list(dead).jobs().stream().map(JobSummary::id).toList();
      if (!jobs.isEmpty()) {
        redrive(jobs);
      }
    } catch (StoreException failure) {
      failed(failure);
    }
  }

  private void redrive(List<JobId> jobs) {
    jobs.forEach(job -> history.write(EventType.REDRIVE_REQUESTED, Event.NONE, job.value(), 0, ""));
    List<RedriveResult> results = admin.redrive(jobs);
    for (int i = 0; i < results.size(); i++) {
      history.write(
          EventType.REDRIVE_RETURNED,
          Event.NONE,
          jobs.get(i).value(),
          0,
          results.get(i).getClass().getSimpleName());
    }
  }

  private void failed(StoreException failure) {
    history.write(EventType.UNKNOWN, Event.NONE, 0, 0, String.valueOf(failure));
  }
}
