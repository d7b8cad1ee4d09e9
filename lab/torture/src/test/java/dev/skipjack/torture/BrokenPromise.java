package dev.skipjack.torture;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jooq.Record;
import org.jooq.impl.DSL;

/**
 * Parts of a queue that each break one promise without disturbing the others, so that one run shows
 * the violations of all.
 */
enum BrokenPromise implements Broken {
  ENQUEUES_OUTSIDE_THE_TRANSACTION(Counter.PHANTOM_JOBS, PhantomCheck.ROLLED_BACK::equals) {
    @Override
    public Function<Connection, JobEnqueuer> within(
        Function<Connection, JobEnqueuer> real, JobEnqueuer jobs) {
      return callers -> jobs;
    }
  },

  COMMITS_WHAT_IT_REFUSES(Counter.PHANTOM_JOBS, PhantomCheck.REFUSED::equals) {
    @Override
    public JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return Interception.onEnqueue(
          real,
          1,
          (job, repeat) -> {
            throw new StoreException("Refused after the commit.", new SQLException());
          });
    }
  },

  CLAIMS_BEFORE_THE_DELAY_IS_OVER(
      Counter.EARLY_CLAIMS, what -> what.endsWith("due for the first time.")) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(real, sql, CLAIM_EARLY + " AND attempts = 0");
    }
  },

  RETRIES_BEFORE_THE_WAIT_IS_OVER(
      Counter.EARLY_CLAIMS, what -> what.contains("the wait after the previous")) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.beforeClaims(real, sql, CLAIM_EARLY + " AND attempts > 0");
    }
  },

  COMPLETES_WITHOUT_RUNNING(Counter.UNRUN_COMPLETIONS, what -> what.endsWith("never ran.")) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.onClaim(
          real,
          1,
          (claimed, all) -> {
            if (claimed.kind().equals(Work.type(Workload.PLAIN).kind())) {
              Object unused = real.complete(List.of(claimed.execution()));
            } else {
              all.add(claimed);
            }
          });
    }
  },

  STORES_ANOTHER_PAYLOAD(Counter.ALTERED_JOBS, what -> what.startsWith(ContentCheck.STORED)) {
    @Override
    public JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
      return Interception.onEnqueue(
          real,
          2,
          (job, repeat) ->
              sql.run("UPDATE @jobs SET payload = payload || '{\"millis\": 1}' WHERE id = ?", job));
    }
  },

  ALTERS_PAYLOADS(
      Counter.ALTERED_JOBS,
      what -> what.startsWith(ContentCheck.RECEIVED) && what.contains("note=memo ")) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.onClaim(
          real,
          2,
          (claimed, all) ->
              all.add(
                  with(
                      claimed,
                      claimed.payload().replace("\"note ", "\"memo "),
                      claimed.headers())));
    }
  },

  LOSES_HEADERS(
      Counter.ALTERED_JOBS,
      what -> what.startsWith(ContentCheck.RECEIVED) && what.strip().endsWith("]")) {
    @Override
    public JobStore store(JobStore real, Sql sql) {
      return Interception.onClaim(
          real, 3, (claimed, all) -> all.add(with(claimed, claimed.payload(), Map.of())));
    }
  },

  TAKES_ROWS_WITHOUT_LOCKS(Counter.ROW_VIOLATIONS, what -> what.contains("times")) {
    @Override
    public RowTaker.Claims rows(RowTaker.Claims real) {
      return (transaction, table) -> {
        List<Record> rows =
            transaction
                .selectFrom(table)
                .where(table.taken.isFalse())
                .and(table.freeAt.le(DSL.currentOffsetDateTime()))
                .and(table.id.mod(2).eq(0))
                .orderBy(table.id)
                .limit(DSL.inline(3))
                .fetch();
        transaction.execute("SELECT pg_sleep(0.15)"); // meanwhile, others claim the same rows
        return rows;
      };
    }
  };

  private static final String CLAIM_EARLY =
      "UPDATE @jobs SET scheduled_at = clock_timestamp() WHERE status = 'pending' AND scheduled_at"
          + " > clock_timestamp()";

  private final Counter counter;

  @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
  private final Predicate<String> what;

  BrokenPromise(Counter counter, Predicate<String> what) {
    this.counter = counter;
    this.what = what;
  }

  /** Returns the counters that a queue may raise, under any timing, if it breaks all promises. */
  static Set<Counter> counters() {
    Set<Counter> counters = EnumSet.of(Counter.UNEXPECTED, Counter.UNPROVOKED_RERUNS);
    Arrays.stream(values()).forEach(one -> counters.add(one.counter));
    return counters;
  }

  /** Returns whether the violation shows that this promise is broken. */
  boolean isShownBy(Violation violation) {
    return violation.counter() == counter && what.test(violation.what());
  }

  static Broken all() {
    return new Broken() {
      @Override
      public JobStore store(JobStore real, Sql sql) {
        return chained(real, (one, store) -> one.store(store, sql));
      }

      @Override
      public JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
        return chained(real, (one, jobs) -> one.jobs(jobs, sql));
      }

      @Override
      public Function<Connection, JobEnqueuer> within(
          Function<Connection, JobEnqueuer> real, JobEnqueuer jobs) {
        return chained(real, (one, within) -> one.within(within, jobs));
      }

      @Override
      public RowTaker.Claims rows(RowTaker.Claims real) {
        return chained(real, BrokenPromise::rows);
      }

      @Override
      public Rig.Faults faults() {
        return Rig.Faults.NONE;
      }
    };
  }

  @FunctionalInterface
  private interface Wrapping<T> {
    T wrap(BrokenPromise one, T real);
  }

  private static <T> T chained(T real, Wrapping<T> wrapping) {
    T part = real;
    for (BrokenPromise one : values()) {
      part = wrapping.wrap(one, part);
    }
    return part;
  }

  private static ClaimedJob with(ClaimedJob claimed, String payload, Map<String, String> headers) {
    return new ClaimedJob(
        claimed.execution(),
        claimed.queue(),
        claimed.kind(),
        payload,
        claimed.payloadVersion(),
        claimed.priority(),
        claimed.attempt(),
        claimed.uncountedAttempts(),
        claimed.maxAttempts(),
        claimed.scheduledAt(),
        headers);
  }
}
