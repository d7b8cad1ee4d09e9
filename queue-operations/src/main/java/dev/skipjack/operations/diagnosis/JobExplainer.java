package dev.skipjack.operations.diagnosis;

import static java.util.Objects.requireNonNull;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobExplanation.Reason;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.sql.Counted;
import dev.skipjack.sql.ErrorTexts;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Spans;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a job is not running, with at most four statements in one snapshot. Safe for any
 * number of threads.
 */
public final class JobExplainer {

  private final OwnTransactions transactions;
  private final Statement<JobId, JobFacts> facts;
  private final Statement<QueueFactsStatement.Request, QueueFactsStatement.Facts> queueFacts;
  private final Statement<JobFacts, LimitFactsStatement.Facts> limitFacts;
  private final Statement<JobFacts, WorkerFactsStatement.Facts> workers;
  private final Statement<String, LeaseHolderStatement.Facts> leaseHolder;
  private final Statement<JobFacts, OrderingFactsStatement.Facts> orderingFacts;
  private final Statement<String, KeyHolderStatement.Holder> keyHolder;
  private final Statement<JobFacts, WaitFactsStatement.Facts> waitFacts;

  /**
   * Creates an explainer. Opens no connection.
   *
   * @param transactions runs the statements of each explanation in one snapshot
   * @param dialect renders statements for the queue's schema, without a connection
   */
  public JobExplainer(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions.snapshot();
    this.facts = Statement.lazily(() -> JobFactsStatement.of(dialect.get()));
    this.queueFacts = Statement.lazily(() -> QueueFactsStatement.of(dialect.get()));
    this.limitFacts = Statement.lazily(() -> LimitFactsStatement.of(dialect.get()));
    this.workers = Statement.lazily(() -> WorkerFactsStatement.of(dialect.get()));
    this.leaseHolder = Statement.lazily(() -> LeaseHolderStatement.of(dialect.get()));
    this.orderingFacts = Statement.lazily(() -> OrderingFactsStatement.of(dialect.get()));
    this.keyHolder = Statement.lazily(() -> KeyHolderStatement.of(dialect.get()));
    this.waitFacts = Statement.lazily(() -> WaitFactsStatement.of(dialect.get()));
  }

  /**
   * Implements {@link dev.skipjack.api.operations.JobReader#why}.
   *
   * @param id the id of the job
   * @return the explanation, or empty if there is no such job
   */
  public Optional<JobExplanation> why(JobId id) {
    return transactions.inOne(
        session -> {
          List<JobFacts> found = session.run(facts, id);
          return found.isEmpty()
              ? Optional.empty()
              : Optional.of(
                  explain(session, found.get(0))
                      .with("batch", found.get(0).batch())
                      .toJobExplanation());
        });
  }

  private Explanation explain(Session session, JobFacts job) throws SQLException {
    return switch (job.status()) {
      case COMPLETED -> ended(job, Reason.COMPLETED, "Completed");
      case CANCELLED -> ended(job, Reason.CANCELLED, "Cancelled");
      case RUNNING -> running(session, job);
      case DEAD -> dead(session, job);
      case WAITING -> waiting(session, job);
      case PENDING -> pending(session, job);
    };
  }

  private static Explanation ended(JobFacts job, Reason reason, String what) {
    Instant at = requireNonNull(job.finishedAt());
    return new Explanation(
            job,
            reason,
            "%s at %s, %s ago, after %s."
                .formatted(
                    what,
                    at,
                    Spans.between(at, job.now()),
                    Counted.of(job.attempts(), "attempt", "attempts")))
        .with("finished_at", at)
        .with("attempts", job.attempts())
        .with("worker", job.worker())
        .with("last_error", job.lastError());
  }

  private Explanation running(Session session, JobFacts job) throws SQLException {
    Instant expires = requireNonNull(job.leaseExpiresAt());
    String worker = String.valueOf(job.worker());
    LeaseHolderStatement.@Nullable Facts holder =
        session.run(leaseHolder, worker).stream().findFirst().orElse(null);
    Instant renewed =
        holder == null || holder.lease() == null ? null : expires.minus(holder.lease());
    Explanation explanation;
    if (expires.isBefore(job.now())) {
      explanation =
          new Explanation(
                  job,
                  Reason.LEASE_EXPIRED,
                  "The lease of worker %s expired %s ago; the worker has stopped, is frozen or cannot reach the database. Any worker rescues the job at its next search for expired leases."
                      .formatted(worker, Spans.between(expires, job.now())))
              .fixedBy(
                  "skipjack rescue",
                  "queue.store().rescue(Duration.ZERO, 1000) with the role worker, or start a"
                      + " worker");
    } else if (job.cancelRequestedAt() != null) {
      explanation =
          new Explanation(
                  job,
                  Reason.CANCEL_REQUESTED,
                  "Running on worker %s, which was asked %s ago to cancel it; the handler has not ended yet. The lease ends at %s unless it is renewed."
                      .formatted(
                          worker, Spans.between(job.cancelRequestedAt(), job.now()), expires))
              .fixedBy(
                  "restart %s if the handler does not end; another worker then records the job as cancelled"
                      .formatted(process(worker, holder)),
                  "the handler must end when its thread is interrupted or context.isCancelled() is true; jcmd %s Thread.print shows what it does"
                      .formatted(holder == null || holder.pid() == null ? "PID" : holder.pid()));
    } else {
      explanation =
          new Explanation(
                  job,
                  Reason.RUNNING,
                  "Leased by worker %s until %s%s; attempt %d has run for %s."
                      .formatted(
                          worker,
                          expires,
                          renewed == null
                              ? ""
                              : " (heartbeat %s ago)".formatted(Spans.between(renewed, job.now())),
                          job.attempts(),
                          Spans.between(requireNonNull(job.startedAt()), job.now())))
              .fixedBy(
                  "skipjack jobs cancel " + job.id(),
                  "queue.admin().cancel(List.of(new JobId(%s)))".formatted(job.id()));
    }
    return explanation
        .with("worker", job.worker())
        .with("host", holder == null ? null : holder.host())
        .with("pid", holder == null ? null : holder.pid())
        .with("attempt", job.attempts())
        .with("started_at", job.startedAt())
        .with("lease_expires_at", expires)
        .withSeconds("heartbeat_seconds_ago", renewed, job.now())
        .withSeconds("worker_seen_seconds_ago", holder == null ? null : holder.seenAt(), job.now())
        .with("cancel_requested_at", job.cancelRequestedAt());
  }

  /** Names the process of a worker by its id or, if the id is unknown, by the worker. */
  private static String process(String worker, LeaseHolderStatement.@Nullable Facts holder) {
    return holder == null || holder.pid() == null
        ? "the process of worker " + worker
        : "the process %d%s"
            .formatted(holder.pid(), holder.host() == null ? "" : " on host " + holder.host());
  }

  private Explanation dead(Session session, JobFacts job) throws SQLException {
    KeyHolderStatement.@Nullable Holder holder =
        job.freedUniqueKey() == null
            ? null
            : session.run(keyHolder, job.freedUniqueKey()).stream().findFirst().orElse(null);
    boolean usedUp = job.usedAttempts() >= job.maxAttempts();
    boolean parked =
        job.lastError() != null && job.lastError().startsWith(ErrorTexts.PARKED_BEHIND);
    String died =
        parked
            ? "Dead: " + firstLine(job.lastError())
            : usedUp
                ? "Dead: %d of %s used up."
                    .formatted(
                        job.usedAttempts(),
                        Counted.of(job.maxAttempts(), "attempt is", "attempts are"))
                : job.attempts() == 0
                    ? "Dead: a failure before the first attempt rules out a retry."
                    : "Dead: attempt %d failed in a way that rules out a retry."
                        .formatted(job.attempts());
    String error = parked || job.lastError() == null ? "" : " Error: " + firstLine(job.lastError());
    String blocks = job.holdsOrderingKey() ? " It blocks its ordering key." : "";
    Explanation explanation;
    if (holder != null) {
      explanation =
          new Explanation(
                  job,
                  Reason.UNIQUE_KEY_TAKEN,
                  "%s It cannot be redriven, because the %s job %s holds its unique key.%s%s"
                      .formatted(died, holder.status().literal(), holder.id(), blocks, error))
              .with("unique_holder", holder.id())
              .with("unique_holder_status", holder.status().literal())
              .fixedBy(
                  "skipjack why " + holder.id(),
                  "queue.reader().why(new JobId(%s)); redrive this job once that one has ended"
                      .formatted(holder.id()));
    } else {
      explanation =
          new Explanation(
                  job,
                  parked
                      ? Reason.PARKED
                      : usedUp ? Reason.ATTEMPTS_USED_UP : Reason.FAILED_FOR_GOOD,
                  died + blocks + error)
              .fixedBy(
                  "skipjack jobs redrive " + job.id(),
                  "queue.admin().redrive(List.of(new JobId(%s)))".formatted(job.id()));
    }
    return explanation
        .with("died_at", job.diedAt())
        .with("used_attempts", job.usedAttempts())
        .with("max_attempts", job.maxAttempts())
        .with("last_error", job.lastError())
        .with("worker", job.worker())
        .with("unique_label", job.uniqueLabel())
        .with("ordering_key", job.orderingKey());
  }

  private Explanation waiting(Session session, JobFacts job) throws SQLException {
    String key = job.orderingKey();
    if (key == null) {
      return new Explanation(
              job,
              Reason.ORDERING_KEY_MISSING,
              "Waiting without an ordering key: no worker promotes it. It was not enqueued by the library or the function enqueue.")
          .fixedBy(
              "skipjack jobs cancel " + job.id(),
              "queue.admin().cancel(List.of(new JobId(%s))), and enqueue it again"
                  .formatted(job.id()));
    }
    OrderingFactsStatement.Facts ordering = session.run(orderingFacts, job).get(0);
    OrderingFactsStatement.@Nullable Head head = ordering.head();
    Explanation explanation;
    boolean blocked =
        head != null && (head.status() != JobStatus.DEAD || head.policy() == OrderingPolicy.BLOCK);
    if (!blocked && session.run(workers, job).isEmpty()) {
      explanation = noWorker(job);
    } else if (head == null) {
      explanation =
          new Explanation(
              job,
              Reason.PROMOTION_PENDING,
              "No job holds the ordering key %s now; a worker promotes its next job within a few seconds."
                  .formatted(key));
    } else if (!blocked) {
      explanation =
          new Explanation(
              job,
              Reason.PROMOTION_PENDING,
              "Behind job %s, which is dead. The ordering policy is %s: within a few seconds, a worker %s."
                  .formatted(
                      head.id(),
                      head.policy().literal(),
                      head.policy() == OrderingPolicy.PARK
                          ? "parks the jobs that were enqueued before it died, and promotes the next of the others"
                          : "promotes the next job of the ordering key " + key));
    } else if (head.status() == JobStatus.DEAD) {
      explanation =
          new Explanation(
                  job,
                  Reason.ORDERING_KEY_BLOCKED,
                  "Behind job %s, which is dead and blocks the ordering key %s.%s"
                      .formatted(
                          head.id(),
                          key,
                          head.lastError() == null ? "" : " Error: " + firstLine(head.lastError())))
              .fixedBy(
                  Quoting.unblock(head.id()),
                  "queue.admin().unblock(%s, new JobId(%s)), or redrive this job"
                      .formatted(Quoting.java(key), head.id()));
    } else {
      explanation =
          new Explanation(
                  job,
                  Reason.BEHIND_ORDERING_KEY,
                  "Behind job %s, which is %s and holds the ordering key %s; %s before this one."
                      .formatted(
                          head.id(),
                          head.status().literal(),
                          key,
                          atMost(ordering.before(), "other job waits", "other jobs wait")))
              .fixedBy(
                  "skipjack why " + head.id(),
                  "queue.reader().why(new JobId(%s))".formatted(head.id()));
    }
    return explanation
        .with("ordering_key", key)
        .with("head", head == null ? null : head.id())
        .with("head_status", head == null ? null : head.status().literal())
        .with("waiting_before", ordering.before());
  }

  private Explanation pending(Session session, JobFacts job) throws SQLException {
    if (job.scheduledAt().isAfter(job.now())) {
      return job.awaits() == null
          ? scheduled(job)
          : suspended(job, job.awaits(), session.run(waitFacts, job).get(0));
    }
    List<WorkerFactsStatement.Facts> living = session.run(workers, job);
    List<WorkerFactsStatement.Facts> able =
        living.stream().filter(worker -> worker.knows() && worker.serves()).toList();
    QueueFactsStatement.Facts queue =
        session.run(queueFacts, new QueueFactsStatement.Request(job, able)).get(0);
    LimitFactsStatement.@Nullable Facts limit =
        session.run(limitFacts, job).stream().findFirst().orElse(null);
    Explanation explanation =
        queue.pause() != null
            ? paused(job, queue.pause())
            : limit != null && limit.pausedAt() != null
                ? groupPaused(job, limit.pausedAt())
                : due(job, queue, limit, living, able);
    return explanation
        .with("queue", job.queue())
        .with("group", limit == null ? null : job.group())
        .with("limit", limit == null ? null : limit.limit())
        .with("ordering_key", job.orderingKey())
        .with("kind", job.kind())
        .with("due_at", job.scheduledAt())
        .withSeconds("due_for_seconds", job.scheduledAt(), job.now())
        .with("jobs_before", able.isEmpty() ? null : queue.before())
        .with("due_jobs_before", queue.older())
        .with("running_in_queue", queue.running())
        .with("living_workers", living.size());
  }

  /** Explains a job that was suspended before and is due later. */
  private static Explanation suspended(JobFacts job, String name, WaitFactsStatement.Facts wait) {
    if (wait.signal() != null) {
      return awaitsSignal(job, name, wait.signal());
    }
    if (wait.join() != null) {
      return joins(job, name, wait.join());
    }
    // A sleep of the latest attempt ended it. After any later attempt, the job may be due for a
    // retry instead.
    boolean sleeps =
        wait.sleptAt() != null
            && job.startedAt() != null
            && !wait.sleptAt().isBefore(job.startedAt());
    if (!sleeps) {
      return scheduled(job);
    }
    return new Explanation(
            job,
            Reason.SLEEPING,
            "Sleeps in the step %s until %s, for another %s."
                .formatted(name, job.scheduledAt(), Spans.between(job.now(), job.scheduledAt())))
        .with("step", name)
        .with("since", wait.sleptAt())
        .with("due_at", job.scheduledAt())
        .withSeconds("due_in_seconds", job.now(), job.scheduledAt());
  }

  private static Explanation awaitsSignal(
      JobFacts job, String name, WaitFactsStatement.Signal signal) {
    boolean toKey = signal.address().startsWith("key/");
    String key = toKey ? signal.address().substring(4) : null;
    String command = Quoting.signal(signal.address(), name);
    return new Explanation(
            job,
            Reason.SIGNAL_AWAITED,
            "Waits for the signal %s%s since %s, until %s; send it with: %s"
                .formatted(
                    name,
                    key == null ? "" : " to the key " + key,
                    signal.since(),
                    signal.endsAt(),
                    command))
        .with("signal", name)
        .with("key", key)
        .with("since", signal.since())
        .with("ends_at", signal.endsAt())
        .with("due_at", job.scheduledAt())
        .withSeconds("due_in_seconds", job.now(), job.scheduledAt())
        .fixedBy(
            command,
            "Signals.on(queue).%s, %s, payload)"
                .formatted(
                    key == null
                        ? "send(new JobId(%s)".formatted(job.id())
                        : "sendToKey(" + Quoting.java(key),
                    Quoting.java(name)));
  }

  private static Explanation joins(JobFacts job, String name, WaitFactsStatement.Join join) {
    return new Explanation(
            job,
            Reason.JOINING,
            "Waits in the step %s for %s; live: %s, dead: %s."
                .formatted(
                    name,
                    join.total() == 1 ? "1 job" : "%d jobs".formatted(join.total()),
                    counted(join.live()),
                    counted(join.dead())))
        .with("step", name)
        .with("joined_batch", join.batch())
        .with("jobs", join.total())
        .with("live_jobs", join.live())
        .with("dead_jobs", join.dead())
        .with("due_at", job.scheduledAt());
  }

  /** Formats a number of jobs that was counted up to a limit for each status. */
  private static String counted(int count) {
    int most = WaitFactsStatement.WINDOW - 1;
    return count > most ? "more than " + most : String.valueOf(count);
  }

  private static Explanation scheduled(JobFacts job) {
    boolean again = job.attempts() > 0;
    String when =
        "due at %s, in %s"
            .formatted(job.scheduledAt(), Spans.between(job.now(), job.scheduledAt()));
    String sentence =
        again
            ? "Attempt %d is %s.%s"
                .formatted(
                    job.attempts() + 1,
                    when,
                    job.lastError() == null ? "" : " Last error: " + firstLine(job.lastError()))
            : "Scheduled: %s.".formatted(when);
    return new Explanation(job, again ? Reason.RETRY_SCHEDULED : Reason.SCHEDULED, sentence)
        .with("due_at", job.scheduledAt())
        .withSeconds("due_in_seconds", job.now(), job.scheduledAt())
        .with("used_attempts", again ? job.usedAttempts() : null)
        .with("max_attempts", again ? job.maxAttempts() : null)
        .with("last_error", job.lastError())
        .fixedBy(
            "skipjack jobs run-now " + job.id(),
            "queue.admin().edit(new JobId(%s), JobEdit.nothing().delay(Duration.ZERO))"
                .formatted(job.id()));
  }

  private static Explanation paused(JobFacts job, PauseFacts pause) {
    Fix fix = PauseFacts.fix(job.queue());
    return new Explanation(job, Reason.QUEUE_PAUSED, pause.sentence(job.queue(), job.now()))
        .with("paused_at", pause.since())
        .with("paused_until", pause.until())
        .with("paused_by", pause.by())
        .with("pause_reason", pause.reason())
        .fixedBy(fix.command(), fix.call());
  }

  private static Explanation groupPaused(JobFacts job, Instant since) {
    String group = String.valueOf(job.group());
    return new Explanation(
            job,
            Reason.GROUP_PAUSED,
            "The group %s of the queue %s has been paused for %s, until an operator resumes it."
                .formatted(group, job.queue(), Spans.between(since, job.now())))
        .with("paused_at", since)
        .fixedBy(
            "skipjack groups resume " + Quoting.operands(job.queue(), group),
            "queue.admin().resumeGroup(%s, %s)"
                .formatted(Quoting.java(job.queue()), Quoting.java(group)));
  }

  /**
   * Explains a job that is due in a queue that is not paused.
   *
   * @param limit null if the queue neither is fair nor has a limit
   */
  private static Explanation due(
      JobFacts job,
      QueueFactsStatement.Facts queue,
      LimitFactsStatement.@Nullable Facts limit,
      List<WorkerFactsStatement.Facts> living,
      List<WorkerFactsStatement.Facts> able) {
    if (living.isEmpty()) {
      return noWorker(job);
    }
    List<WorkerFactsStatement.Facts> knowing =
        living.stream().filter(WorkerFactsStatement.Facts::knows).toList();
    if (knowing.isEmpty()) {
      return new Explanation(
              job,
              Reason.KIND_UNKNOWN,
              "No living worker has a handler for the kind %s; %s."
                  .formatted(
                      job.kind(),
                      Counted.of(living.size(), "worker is alive", "workers are alive")))
          .fixedBy(
              "skipjack workers",
              "Worker.on(queue)...handle(type, handler), with the job type of the kind "
                  + job.kind());
    }
    if (able.isEmpty()) {
      List<String> served =
          knowing.stream().flatMap(worker -> worker.queues().stream()).distinct().sorted().toList();
      return new Explanation(
              job,
              Reason.QUEUE_NOT_SERVED,
              "No living worker with a handler for the kind %s serves the queue %s; they serve %s."
                  .formatted(job.kind(), job.queue(), String.join(", ", served)))
          .with("queues_served", String.join(", ", served))
          .fixedBy(
              "skipjack workers",
              "Worker.on(queue)...queue(%s, slots)".formatted(Quoting.java(job.queue())));
    }
    Explanation held = limit == null ? null : held(job, limit);
    if (held != null) {
      return held;
    }
    int slots = able.stream().mapToInt(WorkerFactsStatement.Facts::slots).sum();
    boolean allKnown = able.stream().allMatch(worker -> worker.slots() > 0);
    String dueFor = "Due for " + Spans.between(job.scheduledAt(), job.now());
    if (allKnown && queue.taken() >= slots) {
      return new Explanation(
              job,
              Reason.SLOTS_TAKEN,
              "%s; all slots of the workers that can run it are taken (%d running, %d slots), and %s served before it."
                  .formatted(
                      dueFor,
                      queue.taken(),
                      slots,
                      atMost(queue.before(), "due job is", "due jobs are")))
          .with("slots", slots)
          .with("slots_taken", queue.taken())
          .fixedBy(
              "skipjack jobs list --status running " + Quoting.option("--queue", job.queue()),
              "Worker.on(queue)...queue(%s, moreSlots)".formatted(Quoting.java(job.queue())));
    }
    if (limit != null) {
      return inTurn(job, limit, dueFor).with("slots", allKnown ? slots : null);
    }
    if (queue.before() > 0) {
      return new Explanation(
              job,
              Reason.BEHIND_OTHERS,
              "%s; %s served before it."
                  .formatted(dueFor, atMost(queue.before(), "due job is", "due jobs are")))
          .with("slots", allKnown ? slots : null)
          .fixedBy(
              "skipjack jobs edit %s --priority %d".formatted(job.id(), 100),
              "queue.admin().edit(new JobId(%s), JobEdit.nothing().priority(100))"
                  .formatted(job.id()));
    }
    String passed =
        queue.older() == 0
            ? ""
            : " The workers have no handlers for the kinds of the %s before it."
                .formatted(atMost(queue.older(), "due job", "due jobs"));
    return new Explanation(
            job, Reason.NEXT_IN_LINE, dueFor + ", next in line: nothing holds it." + passed)
        .with("slots", allKnown ? slots : null);
  }

  /** Explains a job that the limit of its queue holds, or returns null if the limit does not. */
  private static @Nullable Explanation held(JobFacts job, LimitFactsStatement.Facts limit) {
    OptionalInt most = limit.numbers().maxRunning();
    if (most.isPresent() && limit.all().running() >= most.getAsInt()) {
      return limitReached(job, limit, limit.all(), most.getAsInt(), "");
    }
    OptionalInt ofGroup = limit.groupMost();
    if (ofGroup.isPresent() && limit.ofGroup().running() >= ofGroup.getAsInt()) {
      return limitReached(
          job,
          limit,
          limit.ofGroup(),
          ofGroup.getAsInt(),
          job.group() == null ? " without a group" : " of the group " + job.group());
    }
    Instant opensAt = limit.opensAt();
    return opensAt == null ? null : rateReached(job, String.valueOf(limit.limit()), opensAt);
  }

  private static Explanation rateReached(JobFacts job, String limit, Instant opensAt) {
    return new Explanation(
            job,
            Reason.RATE_REACHED,
            "Held by the rate of the limit %s, or by a throttle, until %s, in %s."
                .formatted(limit, opensAt, Spans.between(job.now(), opensAt)))
        .with("opens_at", opensAt)
        .withSeconds("opens_in_seconds", job.now(), opensAt)
        .fixedBy(
            "skipjack limits reset " + Quoting.operand(limit),
            "queue.admin().resetLimit(%s)".formatted(Quoting.java(limit)));
  }

  private static Explanation limitReached(
      JobFacts job,
      LimitFactsStatement.Facts limit,
      LimitFactsStatement.Permits permits,
      int most,
      String which) {
    String name = String.valueOf(limit.limit());
    List<String> first = permits.first();
    String ids =
        first.isEmpty()
            ? ""
            : " (%s %s%s)"
                .formatted(
                    first.size() == 1 ? "job" : "jobs",
                    String.join(", ", first),
                    permits.running() > first.size() ? ", ..." : "");
    return new Explanation(
            job,
            Reason.LIMIT_REACHED,
            "Held by the limit %s: %d of %d jobs%s run%s."
                .formatted(name, permits.running(), most, which, ids))
        .with("running", permits.running())
        .with("max_running", most)
        .with("running_jobs", String.join(", ", first))
        .fixedBy(
            "skipjack limits list",
            "queue.admin().limit(%s, limit) with a larger number".formatted(Quoting.java(name)));
  }

  /** Explains a job of a queue whose groups are served in turn. */
  private static Explanation inTurn(JobFacts job, LimitFactsStatement.Facts limit, String dueFor) {
    String group = job.group() == null ? "the jobs without a group" : "its group " + job.group();
    if (limit.before() == 0) {
      return new Explanation(
          job,
          Reason.NEXT_IN_LINE,
          "%s, next in line of %s: nothing holds it. The groups of the queue take turns."
              .formatted(dueFor, group));
    }
    return new Explanation(
            job,
            Reason.BEHIND_OTHERS,
            "%s, behind %s of %s; the groups of the queue take turns."
                .formatted(dueFor, atMost(limit.before(), "due job", "due jobs"), group))
        .with("jobs_before_in_group", limit.before())
        .fixedBy(
            "skipjack jobs edit %s --priority %d".formatted(job.id(), 100),
            "queue.admin().edit(new JobId(%s), JobEdit.nothing().priority(100))"
                .formatted(job.id()));
  }

  private static Explanation noWorker(JobFacts job) {
    return new Explanation(
            job,
            Reason.NO_WORKER,
            "No worker is alive: none was seen within the last %s."
                .formatted(Spans.of(WorkerInfo.SILENCE)))
        .fixedBy(WorkChecks.START_A_WORKER, "Worker.on(queue)...start()");
  }

  private static String firstLine(@Nullable String text) {
    return text == null ? "" : text.lines().findFirst().orElse("");
  }

  /** Formats a number of jobs that was counted up to a limit. */
  private static String atMost(int count, String one, String several) {
    if (count == 1) {
      return "1 " + one;
    }
    return count < QueueFactsStatement.WINDOW
        ? "%d %s".formatted(count, several)
        : "at least %d %s".formatted(count - 1, several);
  }
}
