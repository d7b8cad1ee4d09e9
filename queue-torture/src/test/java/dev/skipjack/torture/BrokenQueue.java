package dev.skipjack.torture;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.dedup.UniqueEnqueuer;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Queues that break one promise each, as queues in production have, and what that is called. */
enum BrokenQueue {
  COMPLETES_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) ->
              verdict.call() == Verdict.LOST
                      && sql.run(Sql.ENDED_BY_ID, job(execution), execution.id().value()) > 0
                  ? Verdict.DONE
                  : verdict.call());
    }
  },

  COMPLETES_IN_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("completeIn"),
          (method, args) -> {
            Execution execution = (Execution) args[1];
            try {
              return method.call(args);
            } catch (LeaseLostException lost) {
              if (sql.run(
                      (Connection) args[0], Sql.ENDED_BY_ID, job(execution), execution.id().value())
                  == 0) {
                throw lost;
              }
              return args; // of a method that returns nothing
            }
          });
    }
  },

  FAILS_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("fail"),
          (method, args) -> {
            List<Ended> ends = new ArrayList<>();
            for (Object failure : (List<?>) args[0]) {
              Ended end = (Ended) ((List<?>) method.call(new Object[] {List.of(failure)})).get(0);
              boolean stale =
                  end.verdict() == Verdict.LOST
                      && sql.run(BACK_TO_PENDING, job(((Failure) failure).execution())) > 0;
              ends.add(stale ? new Ended(Verdict.DONE, JobStatus.PENDING) : end);
            }
            return ends;
          });
    }
  },

  RESCUE_IGNORES_THE_LEASE(Counter.OVERLAPPING_LEASES) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE status = 'running'");
            return method.call(args);
          });
    }
  },

  RESCUE_IGNORES_RENEWALS(Counter.OVERLAPPING_LEASES) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET lease_expires_at = started_at + ? * interval '1 microsecond' WHERE status = 'running'",
                Rig.PACE.lease().toNanos() / 1_000);
            return method.call(args);
          });
    }

    @Override
    Rig.Faults faults() {
      return Rig.Faults.CUTS; // which explain any rerun
    }
  },

  CLAIMS_WITHOUT_LOCK(Counter.OVERLAPPING_LEASES) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onClaim(
          real,
          (claimed, all) -> {
            all.add(claimed);
            long second = sql.number("SELECT nextval('@job_execution_id_seq')");
            sql.run(SECOND_CLAIM, second, job(claimed.execution()));
            sql.run(SECOND_AUDIT_ROW, second);
            all.add(
                new ClaimedJob(
                    new Execution(
                        claimed.execution().jobId(), new ExecutionId(second), claimed.startedAt()),
                    claimed.queue(),
                    claimed.kind(),
                    claimed.payload(),
                    claimed.payloadVersion(),
                    claimed.priority(),
                    claimed.attempt(),
                    claimed.uncountedAttempts(),
                    claimed.maxAttempts(),
                    claimed.scheduledAt(),
                    claimed.traceparent()));
          });
    }
  },

  CLAIMS_WITHOUT_AUDIT_ROW(Counter.AUDIT_GAPS) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onClaim(
          real,
          (claimed, all) -> {
            sql.run("DELETE FROM @job_executions WHERE id = ?", claimed.execution().id().value());
            all.add(claimed);
          });
    }
  },

  COUNTS_ATTEMPTS_AT_FAILURE(Counter.AUDIT_GAPS) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            Object rescued = method.call(args);
            for (Object one : (List<?>) rescued) {
              sql.run(
                  "UPDATE @jobs SET attempts = attempts - 1 WHERE id = ? AND attempts > uncounted_attempts",
                  job(((Rescued) one).execution()));
            }
            return rescued;
          });
    }
  },

  NEVER_RESCUES(Counter.STUCK) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(JobStore.class, real, Set.of("rescue"), (method, args) -> List.of());
    }
  },

  LOSES_COMPLETIONS(Counter.LOST) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real, (execution, verdict) -> sometimes(execution) ? Verdict.DONE : verdict.call());
    }
  },

  DELETES_WITHOUT_ARCHIVE(Counter.LOST) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) -> {
            Verdict answer = verdict.call();
            if (sometimes(execution)) {
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job(execution));
            }
            return answer;
          });
    }
  },

  KEEPS_COMPLETED_JOBS(Counter.DOUBLE_COMPLETED) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) -> {
            Verdict answer = verdict.call();
            if (answer == Verdict.DONE
                && sometimes(execution)
                && sql.number("SELECT count(*) FROM @jobs_archive WHERE id = ?", job(execution))
                    == 1) {
              sql.run(Sql.RISEN, job(execution));
            }
            return answer;
          });
    }
  },

  HEARTBEAT_STOPS_FIRST(Counter.UNPROVOKED_RERUNS) {
    @Override
    LeaseKeeper leases(LeaseKeeper real) {
      return Rigged.of(
          LeaseKeeper.class,
          real,
          Set.of("heartbeat"),
          (method, args) ->
              ((List<?>) args[0]).stream().map(one -> new Renewal(Verdict.DONE, false)).toList());
    }

    @Override
    Rig.Faults faults() {
      return Rig.Faults.NONE; // any would be an excuse
    }
  },

  ACKNOWLEDGES_BEFORE_COMMIT(Counter.LOST) {
    @Override
    JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return onEnqueue(
          real,
          (job, again) -> {
            // A worker may have been quicker, as long as this thread had to wait for a processor.
            if (sql.run("DELETE FROM @jobs WHERE id = ?", job) == 0) {
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job);
            }
          });
    }
  },

  REPEATS_ENQUEUES(Counter.UNEXPECTED) {
    @Override
    JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return onEnqueue(real, (job, again) -> again.call());
    }
  },

  NO_UNIQUE_INDEX(Counter.UNIQUE_VIOLATIONS) {
    @Override
    UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
      return Rigged.of(
          UniqueEnqueuer.class,
          real,
          Set.of("enqueue"),
          (method, args) -> new Enqueued(jobs.enqueue(Work.type(Workload.UNIQUE), (Work) args[1])));
    }
  },

  REMEMBERS_UNIQUE_KEYS(Counter.UNIQUE_VIOLATIONS) {
    @Override
    UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
      Map<String, JobId> holders = new ConcurrentHashMap<>();
      return Rigged.of(
          UniqueEnqueuer.class,
          real,
          Set.of("enqueue"),
          (method, args) -> {
            String key = ((Work) args[1]).unique();
            JobId holder = holders.get(key);
            if (holder != null) {
              return new AlreadyQueued(holder);
            }
            Object answer = method.call(args);
            holders.put(key, ((EnqueueResult) answer).jobId());
            return answer;
          });
    }
  },

  CANCELS_NOTHING(Counter.UNEXPECTED) {
    @Override
    QueueAdmin admin(QueueAdmin real, Sql sql) {
      return Rigged.of(
          QueueAdmin.class, real, Set.of("cancel"), (method, args) -> List.of(CancelResult.GONE));
    }
  },

  RAISES_THE_CANCELLED(Counter.UNEXPECTED) {
    @Override
    QueueAdmin admin(QueueAdmin real, Sql sql) {
      return Rigged.of(
          QueueAdmin.class,
          real,
          Set.of("cancel"),
          (method, args) -> {
            List<?> answers = (List<?>) method.call(args);
            long job = ((JobId) ((List<?>) args[0]).get(0)).value();
            if (answers.get(0) == CancelResult.CANCELLED) {
              sql.run(Sql.RISEN, job);
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job);
            }
            return answers;
          });
    }
  },

  BURIES_THE_LIVING(Counter.UNEXPECTED) {
    @Override
    JobStore store(JobStore real, Sql sql) {
      return Rigged.of(
          JobStore.class,
          real,
          Set.of("fail"),
          (method, args) -> {
            Object ends = method.call(args);
            for (Object failure : (List<?>) args[0]) {
              sql.run(
                  "UPDATE @jobs SET status = 'dead', died_at = clock_timestamp(), current_execution_id = NULL, lease_expires_at = NULL"
                      + " WHERE id = ? AND status IN ('pending', 'running')",
                  job(((Failure) failure).execution()));
            }
            return ends;
          });
    }
  };

  private static final String BACK_TO_PENDING =
      "UPDATE @jobs SET status = 'pending', current_execution_id = NULL, lease_expires_at = NULL,"
          + " scheduled_at = clock_timestamp() WHERE id = ?";

  private static final String SECOND_CLAIM =
      "UPDATE @jobs SET current_execution_id = ?, attempts = attempts + 1, started_at = clock_timestamp() WHERE id = ?";

  private static final String SECOND_AUDIT_ROW =
      "INSERT INTO @job_executions (id, job_id, started_at, attempt, status, queue, kind, worker_id)"
          + " SELECT current_execution_id, id, started_at, attempts, 'running', queue, kind, locked_by FROM @jobs"
          + " WHERE current_execution_id = ?";

  private static final int SOMETIMES = 7;

  private final Counter name;

  BrokenQueue(Counter name) {
    this.name = name;
  }

  /** What it must be called. */
  Counter counter() {
    return name;
  }

  JobStore store(JobStore real, Sql sql) {
    return real;
  }

  LeaseKeeper leases(LeaseKeeper real) {
    return real;
  }

  JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
    return real;
  }

  UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
    return real;
  }

  QueueAdmin admin(QueueAdmin real, Sql sql) {
    return real;
  }

  /** Under which it shows. */
  Rig.Faults faults() {
    return Rig.Faults.ZOMBIES;
  }

  @FunctionalInterface
  private interface Answer<T> {
    T call() throws Throwable;
  }

  @FunctionalInterface
  private interface Completion {
    Verdict answer(Execution execution, Answer<Verdict> real) throws Throwable;
  }

  @FunctionalInterface
  private interface Claim {
    void add(ClaimedJob claimed, List<ClaimedJob> all) throws Throwable;
  }

  @FunctionalInterface
  private interface Enqueue {
    void after(long job, Answer<?> again) throws Throwable;
  }

  private static JobStore onComplete(JobStore real, Completion completion) {
    return Rigged.of(
        JobStore.class,
        real,
        Set.of("complete"),
        (method, args) -> {
          List<Verdict> verdicts = new ArrayList<>();
          for (Object execution : (List<?>) args[0]) {
            List<Verdict> once = new ArrayList<>();
            Answer<Verdict> answer =
                () -> {
                  if (once.isEmpty()) {
                    List<?> answers = (List<?>) method.call(new Object[] {List.of(execution)});
                    once.add((Verdict) answers.get(0));
                  }
                  return once.get(0);
                };
            verdicts.add(completion.answer((Execution) execution, answer));
          }
          return verdicts;
        });
  }

  private static JobStore onClaim(JobStore real, Claim claim) {
    return Rigged.of(
        JobStore.class,
        real,
        Set.of("claim"),
        (method, args) -> {
          List<ClaimedJob> all = new ArrayList<>();
          for (Object claimed : (List<?>) method.call(args)) {
            ClaimedJob job = (ClaimedJob) claimed;
            if (sometimes(job.execution())) {
              claim.add(job, all);
            } else {
              all.add(job);
            }
          }
          return all;
        });
  }

  private static JobEnqueuer onEnqueue(JobEnqueuer real, Enqueue enqueue) {
    return Rigged.of(
        JobEnqueuer.class,
        real,
        Set.of("enqueue"),
        (method, args) -> {
          JobId id = (JobId) method.call(args);
          if (id.value() % SOMETIMES == 0 && args[0] instanceof JobType<?>) {
            enqueue.after(id.value(), () -> method.call(args));
          }
          return id;
        });
  }

  private static boolean sometimes(Execution execution) {
    return execution.id().value() % SOMETIMES == 0;
  }

  private static long job(Execution execution) {
    return execution.jobId().value();
  }
}
