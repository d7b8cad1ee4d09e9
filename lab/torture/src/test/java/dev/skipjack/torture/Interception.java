package dev.skipjack.torture;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Intercepts the calls in which broken queues differ from the real one. */
final class Interception {

  /** One in this number of jobs or executions is affected. */
  static final int ONE_IN = 7;

  private Interception() {}

  @FunctionalInterface
  interface Call<T> {
    T call() throws Throwable;
  }

  @FunctionalInterface
  interface Claim {
    void add(ClaimedJob claimed, List<ClaimedJob> all) throws Throwable;
  }

  /** Called after the enqueue of a single job. */
  @FunctionalInterface
  interface Enqueue {
    void after(long job, Call<?> repeat) throws Throwable;
  }

  static JobStore beforeClaims(JobStore real, Sql sql, String statement) {
    return Intercepted.of(
        JobStore.class,
        real,
        Set.of("claim", "claimFew", "claimGroups"),
        (method, args) -> {
          sql.run(statement);
          return method.call(args);
        });
  }

  /** Intercepts the claims of executions whose id leaves the given remainder. */
  static JobStore onClaim(JobStore real, int remainder, Claim claim) {
    return Intercepted.of(
        JobStore.class,
        real,
        Set.of("claim", "claimFew"),
        (method, args) -> {
          List<ClaimedJob> all = new ArrayList<>();
          for (Object claimed : (List<?>) method.call(args)) {
            ClaimedJob job = (ClaimedJob) claimed;
            if (isChosen(job.execution(), remainder)) {
              claim.add(job, all);
            } else {
              all.add(job);
            }
          }
          return all;
        });
  }

  /** Intercepts the enqueues of single jobs whose id leaves the given remainder. */
  static JobEnqueuer onEnqueue(JobEnqueuer real, int remainder, Enqueue enqueue) {
    return Intercepted.of(
        JobEnqueuer.class,
        real,
        Set.of("enqueue"),
        (method, args) -> {
          JobId id = (JobId) method.call(args);
          if (id.value() % ONE_IN == remainder && args[0] instanceof JobType<?>) {
            enqueue.after(id.value(), () -> method.call(args));
          }
          return id;
        });
  }

  static boolean isChosen(Execution execution, int remainder) {
    return execution.id().value() % ONE_IN == remainder;
  }
}
