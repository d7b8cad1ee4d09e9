package dev.skipjack.operations.bulk;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.operations.bulk.OperationTable.Counts;
import dev.skipjack.operations.bulk.OperationTable.Row;
import dev.skipjack.sql.Pause;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of an operation, which ends when the operation ends or another run begins. A transaction
 * keeps up to a whole batch locked, so it tries each job once and never pauses. Jobs that were
 * locked count as failed, and are tried again in further transactions, each of which corrects the
 * counts. Not thread-safe.
 */
final class OperationRun {

  /** The number of jobs in a batch. */
  static final int BATCH = 500;

  /** SQLSTATEs of a deadlock, a cancelled statement, an unavailable lock and a unique violation. */
  private static final Set<String> RETRIED_SMALLER = Set.of("40P01", "57014", "55P03", "23505");

  private static final String CANCELLED = "57014";
  private static final int ROUNDS = 12;

  private final OperationTable table;
  private final JobReader reader;
  private final BatchCommands commands;
  private final long id;
  private final UUID run;
  private @Nullable Connection transaction;

  /**
   * @param id the operation
   * @param run the id of this run, which the operation has as its latest one
   */
  OperationRun(
      OperationTable table,
      JobReader reader,
      Function<Supplier<Connection>, BatchCommands> commands,
      long id,
      UUID run) {
    this.table = table;
    this.reader = reader;
    this.commands = commands.apply(() -> Objects.requireNonNull(transaction, "transaction"));
    this.id = id;
    this.run = run;
  }

  /**
   * Changes the next batch, and tries its locked jobs again for about a second.
   *
   * @return the operation, or empty if this run has ended
   */
  Optional<JobOperation> batch() {
    Row before = table.find(id).filter(row -> row.isOf(run)).orElse(null);
    if (before == null) {
      return Optional.empty();
    }
    JobOperation operation = before.operation();
    JobPage page = reader.list(from(operation.filter(), before.position()));
    List<JobId> jobs =
        matching(page, operation.action(), operation.newestId(), operation.diedBefore()).stream()
            .map(JobSummary::id)
            .toList();
    List<List<JobId>> locked = new ArrayList<>();
    return table
        .change(
            id,
            run,
            nextOf(page, operation.newestId()),
            connection -> attempt(operation, jobs, connection, locked))
        .map(changed -> again(changed, locked).operation());
  }

  /** Records why this run cannot go on. */
  void explain(String reason) {
    table.explain(id, run, reason);
  }

  static JobQuery from(JobQuery filter, @Nullable PageToken position) {
    JobQuery first = filter.firstPage().limit(BATCH);
    return position == null ? first : first.after(position);
  }

  /** Returns the jobs of a page that existed at the preview and that the action may change. */
  static List<JobSummary> matching(
      JobPage page, OperationAction action, long newest, @Nullable Instant diedBefore) {
    return page.jobs().stream()
        .filter(job -> job.id().value() <= newest)
        .filter(
            job ->
                diedBefore == null || (job.diedAt() != null && job.diedAt().isBefore(diedBefore)))
        .filter(job -> action != OperationAction.CANCEL || job.diedAt() == null)
        .filter(job -> action != OperationAction.EDIT || job.status() != JobStatus.RUNNING)
        .toList();
  }

  /**
   * Returns the position of the next page, or null if there is none or it has no job that existed
   * at the preview.
   */
  static @Nullable PageToken nextOf(JobPage page, long newest) {
    List<JobSummary> jobs = page.jobs();
    boolean beyond = !jobs.isEmpty() && jobs.get(jobs.size() - 1).id().value() >= newest;
    return beyond ? null : page.next().orElse(null);
  }

  private Row again(Row changed, List<List<JobId>> locked) {
    Row latest = changed;
    JobOperation operation = changed.operation();
    List<List<JobId>> left = locked;
    for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
      if (!Pause.upTo(Duration.ofMillis(Math.min(2L << round, 200)))) {
        break;
      }
      List<List<JobId>> still = new ArrayList<>();
      for (List<JobId> jobs : left) {
        Optional<Row> corrected =
            table.changeAgain(id, run, connection -> fewer(jobs, operation, connection, still));
        if (corrected.isEmpty()) {
          return lockedAtEnd(latest, jobs);
        }
        latest = corrected.get();
      }
      left = still;
    }
    return left.isEmpty() ? latest : lockedAtEnd(latest, left.get(left.size() - 1));
  }

  private Row lockedAtEnd(Row latest, List<JobId> jobs) {
    explain("Job %s was locked by another transaction.".formatted(jobs.get(jobs.size() - 1)));
    return table.find(id).orElse(latest);
  }

  /** Retries jobs that count as failed. */
  private Counts fewer(
      List<JobId> jobs, JobOperation operation, Connection connection, List<List<JobId>> locked) {
    Counts counts = attempt(operation, jobs, connection, locked);
    return new Counts(
        counts.done(), counts.skipped(), counts.failed() - jobs.size(), counts.reason());
  }

  /**
   * Changes jobs. If a statement fails because of other transactions, nothing is changed, and the
   * halves of the jobs must be tried separately.
   *
   * @param locked receives the jobs to try again, each list in a transaction of its own
   */
  private Counts attempt(
      JobOperation operation, List<JobId> jobs, Connection connection, List<List<JobId>> locked) {
    transaction = connection;
    try {
      Tally tally = table.inSavepoint(connection, () -> process(operation, jobs, commands));
      if (!tally.locked.isEmpty()) {
        locked.add(tally.locked);
      }
      return new Counts(tally.done, tally.skipped, tally.locked.size(), tally.reason);
    } catch (StoreException failure) {
      String state = failure.sqlState().filter(RETRIED_SMALLER::contains).orElse(null);
      int half = jobs.size() / 2;
      // If the statement for a single job took too long, a retry would too.
      if (state == null || (half == 0 && state.equals(CANCELLED))) {
        throw failure;
      }
      if (half > 0) {
        locked.add(jobs.subList(0, half));
      }
      locked.add(jobs.subList(half, jobs.size()));
      return new Counts(0, 0, jobs.size(), null);
    }
  }

  private static Tally process(JobOperation operation, List<JobId> jobs, BatchCommands commands) {
    String patch = operation.payloadPatch();
    Tally tally = new Tally();
    switch (operation.action()) {
      case REDRIVE ->
          redrive(
              patch == null ? jobs : patched(jobs, patch, true, commands, tally),
              patch == null ? "" : ", but its payload was changed",
              commands,
              tally);
      case RUN_NOW -> runNow(jobs, commands, tally);
      case CANCEL -> cancel(jobs, commands, tally);
      case PRUNE -> prune(jobs, commands, tally);
      case EDIT ->
          tally.done += patched(jobs, Objects.requireNonNull(patch), false, commands, tally).size();
    }
    return tally;
  }

  /** Applies a patch to payloads. Returns the jobs that were changed. */
  private static List<JobId> patched(
      List<JobId> jobs, String patch, boolean onlyDead, BatchCommands commands, Tally tally) {
    List<PatchResult> results = commands.patch(jobs, patch, onlyDead);
    List<JobId> changed = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      JobId job = jobs.get(i);
      switch (results.get(i)) {
        case PATCHED -> changed.add(job);
        case NO_OBJECT -> tally.skip(job, "its payload is not a JSON object");
        case TOO_LARGE -> tally.skip(job, "its payload would be too large");
        case OTHER_STATUS -> tally.skip(job, onlyDead ? "it is no longer dead" : "it is running");
        case BUSY -> tally.busy(job);
        case GONE -> tally.skip(job, "it has ended");
      }
    }
    return changed;
  }

  private static void redrive(
      List<JobId> jobs, String changed, BatchCommands commands, Tally tally) {
    List<RedriveResult> results = commands.redrive(jobs);
    for (int i = 0; i < jobs.size(); i++) {
      RedriveResult result = results.get(i);
      if (result instanceof RedriveResult.Redriven) {
        tally.done++;
      } else if (result instanceof RedriveResult.Busy) {
        tally.busy(jobs.get(i));
      } else if (result instanceof RedriveResult.Conflict conflict) {
        tally.skip(
            jobs.get(i), "job %s holds its unique key%s".formatted(conflict.holder(), changed));
      } else {
        tally.skip(jobs.get(i), "it is no longer dead");
      }
    }
  }

  private static void runNow(List<JobId> jobs, BatchCommands commands, Tally tally) {
    List<EditResult> results = commands.hurry(jobs);
    for (int i = 0; i < jobs.size(); i++) {
      switch (results.get(i)) {
        case EDITED -> tally.done++;
        case BUSY -> tally.busy(jobs.get(i));
        case NOT_PENDING, GONE -> tally.skip(jobs.get(i), "it is no longer pending");
      }
    }
  }

  private static void cancel(List<JobId> jobs, BatchCommands commands, Tally tally) {
    List<CancelResult> results = commands.cancel(jobs);
    for (int i = 0; i < jobs.size(); i++) {
      switch (results.get(i)) {
        case CANCELLED, REQUESTED -> tally.done++;
        case BUSY -> tally.busy(jobs.get(i));
        case DEAD -> tally.skip(jobs.get(i), "it is dead");
        case GONE -> tally.skip(jobs.get(i), "it has ended");
      }
    }
  }

  private static void prune(List<JobId> jobs, BatchCommands commands, Tally tally) {
    List<PruneResult> results = commands.prune(jobs);
    for (int i = 0; i < jobs.size(); i++) {
      switch (results.get(i)) {
        case PRUNED -> tally.done++;
        case BUSY -> tally.busy(jobs.get(i));
        case NOT_DEAD, GONE -> tally.skip(jobs.get(i), "it is no longer dead");
      }
    }
  }

  /** Counts the results of a batch. */
  private static final class Tally {

    private long done;
    private long skipped;
    private final List<JobId> locked = new ArrayList<>();
    private @Nullable String reason;

    void skip(JobId job, String why) {
      skipped++;
      reason = "Job %s was skipped: %s.".formatted(job, why);
    }

    void busy(JobId job) {
      locked.add(job);
    }
  }
}
