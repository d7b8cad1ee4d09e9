package dev.skipjack.torture;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.dedup.UniqueEnqueuer;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Queues that each break one guarantee, with the counter that must report the violation. */
enum BrokenQueue implements Broken {
  COMPLETES_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) ->
              verdict.call() == Verdict.LOST
                      && sql.run(Sql.COMPLETE_BY_ID, job(execution), execution.id().value()) > 0
                  ? Verdict.DONE
                  : verdict.call());
    }
  },

  COMPLETES_IN_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("completeIn"),
          (method, args) -> {
            Execution execution = (Execution) args[1];
            try {
              return method.call(args);
            } catch (LeaseLostException lost) {
              if (sql.run(
                      (Connection) args[0],
                      Sql.COMPLETE_BY_ID,
                      job(execution),
                      execution.id().value())
                  == 0) {
                throw lost;
              }
              return args; // ignored, because the method returns void
            }
          });
    }
  },

  FAILS_BY_ID_ONLY(Counter.STALE_ACCEPTED) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("fail"),
          (method, args) -> {
            List<Ended> ends = new ArrayList<>();
            for (Object failure : (List<?>) args[0]) {
              Ended end = (Ended) ((List<?>) method.call(new Object[] {List.of(failure)})).get(0);
              boolean stale =
                  end.verdict() == Verdict.LOST
                      && sql.run(RETURN_TO_PENDING, job(((Failure) failure).execution())) > 0;
              ends.add(stale ? new Ended(Verdict.DONE, JobStatus.PENDING) : end);
            }
            return ends;
          });
    }
  },

  RESCUE_IGNORES_THE_LEASE(Counter.OVERLAPPING_LEASES) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE"
                    + " status = 'running'");
            return method.call(args);
          });
    }
  },

  RESCUE_IGNORES_RENEWALS(Counter.OVERLAPPING_LEASES) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET lease_expires_at = started_at + ? * interval '1 microsecond'"
                    + " WHERE status = 'running'",
                Rig.PACE.lease().toNanos() / 1_000);
            return method.call(args);
          });
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.CUTS; // a cut commit explains any rerun
    }
  },

  /** Rescues jobs shortly before their leases expire. */
  RESCUES_EARLY(Counter.OVERLAPPING_LEASES) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET lease_expires_at = clock_timestamp() WHERE status = 'running'"
                    + " AND lease_expires_at < clock_timestamp() + ? * interval '1 microsecond'",
                Rig.PACE.lease().toNanos() / 1_000 * 3 / 10);
            return method.call(args);
          });
    }
  },

  CLAIMS_WITHOUT_LOCK(Counter.OVERLAPPING_LEASES) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.onClaim(
          real,
          0,
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
                    claimed.headers()));
          });
    }
  },

  CLAIMS_WITHOUT_AUDIT_ROW(Counter.AUDIT_GAPS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.onClaim(
          real,
          0,
          (claimed, all) -> {
            sql.run("DELETE FROM @job_executions WHERE id = ?", claimed.execution().id().value());
            all.add(claimed);
          });
    }
  },

  COUNTS_ATTEMPTS_AT_FAILURE(Counter.AUDIT_GAPS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("rescue"),
          (method, args) -> {
            Object rescued = method.call(args);
            for (Object one : (List<?>) rescued) {
              sql.run(
                  "UPDATE @jobs SET attempts = attempts - 1 WHERE id = ? AND attempts >"
                      + " uncounted_attempts",
                  job(((Rescued) one).execution()));
            }
            return rescued;
          });
    }
  },

  NEVER_RESCUES(Counter.STUCK) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(JobStore.class, real, Set.of("rescue"), (method, args) -> List.of());
    }
  },

  LOSES_COMPLETIONS(Counter.LOST) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real, (execution, verdict) -> isChosen(execution) ? Verdict.DONE : verdict.call());
    }
  },

  DELETES_WITHOUT_ARCHIVING(Counter.LOST) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) -> {
            Verdict result = verdict.call();
            if (isChosen(execution)) {
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job(execution));
            }
            return result;
          });
    }
  },

  KEEPS_COMPLETED_JOBS_LIVE(Counter.DOUBLE_COMPLETED) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return onComplete(
          real,
          (execution, verdict) -> {
            Verdict result = verdict.call();
            if (result == Verdict.DONE
                && isChosen(execution)
                && sql.number("SELECT count(*) FROM @jobs_archive WHERE id = ?", job(execution))
                    == 1) {
              sql.run(Sql.REVIVE, job(execution));
            }
            return result;
          });
    }
  },

  HEARTBEAT_RENEWS_NOTHING(Counter.UNPROVOKED_RERUNS) {
    @Override
    public LeaseKeeper leases(LeaseKeeper real) {
      return Intercepted.of(
          LeaseKeeper.class,
          real,
          Set.of("heartbeat"),
          (method, args) ->
              ((List<?>) args[0]).stream().map(one -> new Renewal(Verdict.DONE, false)).toList());
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE; // any fault would explain the reruns
    }
  },

  ACKNOWLEDGES_BEFORE_COMMIT(Counter.LOST) {
    @Override
    public JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return Interception.onEnqueue(
          real,
          0,
          (job, repeat) -> {
            // A worker may have completed the job before this thread continued.
            if (sql.run("DELETE FROM @jobs WHERE id = ?", job) == 0) {
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job);
            }
          });
    }
  },

  REPEATS_ENQUEUES(Counter.UNEXPECTED) {
    @Override
    public JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return Interception.onEnqueue(real, 0, (job, repeat) -> repeat.call());
    }
  },

  NO_UNIQUE_INDEX(Counter.UNIQUE_VIOLATIONS) {
    @Override
    public UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
      return Intercepted.of(
          UniqueEnqueuer.class,
          real,
          Set.of("enqueue"),
          (method, args) -> new Enqueued(jobs.enqueue(Work.type(Workload.UNIQUE), (Work) args[1])));
    }
  },

  CACHES_UNIQUE_HOLDERS(Counter.UNIQUE_VIOLATIONS) {
    @Override
    public UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
      Map<String, JobId> holders = new ConcurrentHashMap<>();
      return Intercepted.of(
          UniqueEnqueuer.class,
          real,
          Set.of("enqueue"),
          (method, args) -> {
            String key = ((Work) args[1]).unique();
            JobId holder = holders.get(key);
            if (holder != null) {
              return new AlreadyQueued(holder);
            }
            Object result = method.call(args);
            holders.put(key, ((EnqueueResult) result).jobId());
            return result;
          });
    }
  },

  CANCELS_NOTHING(Counter.UNEXPECTED) {
    @Override
    public QueueAdmin admin(QueueAdmin real, Sql sql) {
      return Intercepted.of(
          QueueAdmin.class, real, Set.of("cancel"), (method, args) -> List.of(CancelResult.GONE));
    }
  },

  REVIVES_CANCELLED_JOBS(Counter.UNEXPECTED) {
    @Override
    public QueueAdmin admin(QueueAdmin real, Sql sql) {
      return Intercepted.of(
          QueueAdmin.class,
          real,
          Set.of("cancel"),
          (method, args) -> {
            List<?> results = (List<?>) method.call(args);
            long job = ((JobId) ((List<?>) args[0]).get(0)).value();
            if (results.get(0) == CancelResult.CANCELLED) {
              sql.run(Sql.REVIVE, job);
              sql.run("DELETE FROM @jobs_archive WHERE id = ?", job);
            }
            return results;
          });
    }
  },

  MARKS_LIVE_JOBS_DEAD(Counter.UNEXPECTED) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("fail"),
          (method, args) -> {
            Object ends = method.call(args);
            for (Object failure : (List<?>) args[0]) {
              sql.run(
                  "UPDATE @jobs SET status = 'dead', died_at = clock_timestamp(),"
                      + " current_execution_id = NULL, lease_expires_at = NULL WHERE id = ? AND"
                      + " status IN ('pending', 'running')",
                  job(((Failure) failure).execution()));
            }
            return ends;
          });
    }
  },

  RUNS_JOBS_OF_A_KEY_TOGETHER(Counter.ORDER_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(
          real, sql, "UPDATE @jobs SET status = 'pending' WHERE status = 'waiting'");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  RUNS_THE_LATEST_JOB_OF_A_KEY(Counter.ORDER_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(
          real,
          sql,
          "UPDATE @jobs SET ordering_position = -id WHERE status = 'waiting' AND ordering_position"
              + " IS NULL");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  HANDS_OVER_THE_LATEST_JOB_OF_A_KEY(Counter.ORDER_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Intercepted.of(
          JobStore.class,
          real,
          Set.of("handOver"),
          (method, args) -> {
            sql.run(
                "UPDATE @jobs SET ordering_position = -id WHERE status = 'waiting' AND"
                    + " ordering_position IS NULL");
            Object result = method.call(args);
            sql.run(
                "UPDATE @jobs SET ordering_position = NULL WHERE status = 'waiting' AND"
                    + " ordering_position < 0");
            return result;
          });
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  RETRIES_AT_THE_BACK_OF_THE_KEY(Counter.ORDER_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return afterFailures(
          real,
          sql,
          "UPDATE @jobs SET status = 'waiting', ordering_head = NULL, ordering_position ="
              + " nextval('@jobs_id_seq') WHERE status = 'pending' AND ordering_head AND attempts >"
              + " uncounted_attempts");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  DEAD_JOBS_BLOCK_NOTHING(Counter.ORDER_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return afterFailures(
          real,
          sql,
          "UPDATE @jobs SET ordering_head = NULL WHERE status = 'dead' AND ordering_head");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  /** Simulates permits that expire although their jobs still run. */
  PERMITS_EXPIRE(Counter.LIMIT_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(
          real,
          sql,
          "UPDATE @jobs SET limit_name = NULL WHERE status = 'running' AND limit_name IS NOT NULL"
              + " AND started_at < clock_timestamp() - interval '5 ms'");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  COUNTS_ANOTHER_GROUP(Counter.LIMIT_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(
          real,
          sql,
          "UPDATE @jobs SET group_key = group_key || ' ' || id WHERE status = 'running' AND"
              + " limit_name IS NOT NULL AND group_key NOT LIKE '% ' || id");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  /** Simulates a rate that forgets the starts of earlier claims. */
  FORGETS_STARTS(Counter.LIMIT_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(real, sql, "DELETE FROM @job_rate_uses WHERE taken > 0");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  /** Simulates a claim that adds a row after that of a throttle, and so opens the limit again. */
  CLAIMS_END_THROTTLES(Counter.LIMIT_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(
          real,
          sql,
          "INSERT INTO @job_rate_uses (limit_name, taken, full_at) SELECT limit_name, 1,"
              + " clock_timestamp() FROM @job_rate_uses WHERE taken = 0 AND full_at >"
              + " clock_timestamp() ORDER BY id DESC LIMIT 1");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  STARTS_JOBS_OF_PAUSED_GROUPS(Counter.LIMIT_VIOLATIONS) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(real, sql, "UPDATE @job_groups SET paused_at = NULL");
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  /**
   * Simulates a statement that neither compares the next fire nor writes a key, so a fire can
   * happen twice.
   */
  FIRES_WITHOUT_GUARDS(Counter.DOUBLE_FIRES) {
    @Override
    public ScheduleStore schedules(ScheduleStore real, Sql sql) {
      AtomicBoolean done = new AtomicBoolean();
      return onFire(
          real,
          round -> {
            Round fired = round.call();
            if (!fired.fired().isEmpty() && done.compareAndSet(false, true)) {
              sql.run(SET_BACK + "; DELETE FROM @job_keys WHERE key LIKE 'schedule:%'");
            }
            return fired;
          });
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  MOVES_SCHEDULES_WITHOUT_JOBS(Counter.LOST_FIRES) {
    @Override
    public ScheduleStore schedules(ScheduleStore real, Sql sql) {
      return onFire(
          real,
          round -> {
            sql.run(
                "UPDATE @job_schedules SET next_at = next_at + interval '1 s', due_at = due_at +"
                    + " interval '1 s' WHERE due_at <= clock_timestamp()");
            return round.call();
          });
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  },

  FORGETS_MISSED_FIRES(Counter.LOST_FIRES) {
    @Override
    public ScheduleStore schedules(ScheduleStore real, Sql sql) {
      return onFire(
          real,
          round -> {
            sql.run(
                "UPDATE @job_schedules SET next_at = date_trunc('second', clock_timestamp()),"
                    + " due_at = date_trunc('second', clock_timestamp())"
                    + " WHERE due_at < clock_timestamp() - interval '2 s'");
            return round.call();
          });
    }

    @Override
    public Rig.Faults faults() {
      return Rig.Faults.NONE;
    }
  };

  /**
   * Sets the schedules that have fired back to their last fires. The keys of these fires must be
   * deleted in the same transaction, in which the schedules are locked; otherwise the other worker
   * could fire first.
   */
  private static final String SET_BACK =
      "UPDATE @job_schedules SET next_at = last_at, due_at = last_at, last_at = NULL"
          + " WHERE last_at IS NOT NULL";

  private static final String RETURN_TO_PENDING =
      "UPDATE @jobs SET status = 'pending', current_execution_id = NULL, lease_expires_at = NULL,"
          + " scheduled_at = clock_timestamp() WHERE id = ?";

  private static final String SECOND_CLAIM =
      "UPDATE @jobs SET current_execution_id = ?, attempts = attempts + 1, started_at ="
          + " clock_timestamp() WHERE id = ?";

  private static final String SECOND_AUDIT_ROW =
      "INSERT INTO @job_executions (id, job_id, started_at, attempt, status, queue, kind,"
          + " worker_id) SELECT current_execution_id, id, started_at, attempts, 'running', queue,"
          + " kind, locked_by FROM @jobs WHERE current_execution_id = ?";

  private final Counter counter;

  BrokenQueue(Counter counter) {
    this.counter = counter;
  }

  Counter counter() {
    return counter;
  }

  @Override
  public Rig.Jobs jobs() {
    return switch (counter) {
      case ORDER_VIOLATIONS -> Rig.Jobs.ORDERED;
      case UNIQUE_VIOLATIONS -> Rig.Jobs.UNIQUE;
      case LIMIT_VIOLATIONS -> Rig.Jobs.LIMITED;
      default -> Rig.Jobs.ALL;
    };
  }

  @FunctionalInterface
  private interface Completion {
    Verdict complete(Execution execution, Interception.Call<Verdict> real) throws Throwable;
  }

  private static JobStore onComplete(JobStore real, Completion completion) {
    return Intercepted.of(
        JobStore.class,
        real,
        Set.of("complete"),
        (method, args) -> {
          List<Verdict> verdicts = new ArrayList<>();
          for (Object execution : (List<?>) args[0]) {
            List<Verdict> once = new ArrayList<>();
            Interception.Call<Verdict> call =
                () -> {
                  if (once.isEmpty()) {
                    List<?> results = (List<?>) method.call(new Object[] {List.of(execution)});
                    once.add((Verdict) results.get(0));
                  }
                  return once.get(0);
                };
            verdicts.add(completion.complete((Execution) execution, call));
          }
          return verdicts;
        });
  }

  private static JobStore afterFailures(JobStore real, Sql sql, String statement) {
    return Intercepted.of(
        JobStore.class,
        real,
        Set.of("fail"),
        (method, args) -> {
          Object ends = method.call(args);
          sql.run(statement);
          return ends;
        });
  }

  @FunctionalInterface
  private interface Firing {
    Round fire(Interception.Call<Round> real) throws Throwable;
  }

  private static ScheduleStore onFire(ScheduleStore real, Firing firing) {
    return Intercepted.of(
        ScheduleStore.class,
        real,
        Set.of("fireDue"),
        (method, args) -> firing.fire(() -> (Round) method.call(args)));
  }

  private static boolean isChosen(Execution execution) {
    return Interception.isChosen(execution, 0);
  }

  private static long job(Execution execution) {
    return execution.jobId().value();
  }
}
