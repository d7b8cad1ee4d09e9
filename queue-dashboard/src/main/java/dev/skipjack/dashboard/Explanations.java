package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobSummary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a job is in its state, without what is hidden from the visitor. A reason may concern
 * other queues: their workers, or the job that holds the ordering key or the unique key.
 */
final class Explanations {

  /** The evidence about the job itself, its worker or its queue. */
  private static final Set<String> OF_ITS_QUEUE =
      Set.of(
          "attempt",
          "attempts",
          "cancel_requested_at",
          "died_at",
          "due_at",
          "due_for_seconds",
          "due_in_seconds",
          "due_jobs_before",
          "finished_at",
          "group",
          "heartbeat_seconds_ago",
          "host",
          "jobs_before",
          "kind",
          "last_error",
          "jobs_before_in_group",
          "lease_expires_at",
          "limit",
          "max_attempts",
          "opens_at",
          "opens_in_seconds",
          "ordering_key",
          "pause_reason",
          "paused_at",
          "paused_by",
          "paused_until",
          "pid",
          "queue",
          "running_in_queue",
          "slots",
          "slots_taken",
          "started_at",
          "unique_label",
          "used_attempts",
          "worker",
          "worker_seen_seconds_ago");

  private static final Set<String> OTHER_JOBS = Set.of("head", "unique_holder");

  private final Redaction redaction;

  Explanations(Redaction redaction) {
    this.redaction = redaction;
  }

  /** Returns an explanation for a visitor who sees all queues. */
  JobScreen.Why of(JobExplanation explained) {
    return why(
        explained,
        explained.sentence(),
        explained.evidence(),
        explained.fix() == null ? null : explained.fix().command());
  }

  /**
   * Returns an explanation for a visitor who sees only some queues.
   *
   * @param job the job
   * @param visible whether the visitor sees a job
   */
  JobScreen.Why ofSomeQueues(JobExplanation explained, JobSummary job, Predicate<JobId> visible) {
    Map<String, String> evidence = new LinkedHashMap<>(explained.evidence());
    boolean seesOther =
        OTHER_JOBS.stream()
            .map(evidence::get)
            .allMatch(id -> id == null || visible.test(new JobId(Long.parseLong(id))));
    evidence.keySet().retainAll(OF_ITS_QUEUE);
    return switch (explained.reason()) {
      case COMPLETED,
          CANCELLED,
          RUNNING,
          CANCEL_REQUESTED,
          LEASE_EXPIRED,
          PARKED,
          ATTEMPTS_USED_UP,
          FAILED_FOR_GOOD,
          ORDERING_KEY_MISSING,
          SCHEDULED,
          RETRY_SCHEDULED,
          SIGNAL_AWAITED,
          SLEEPING,
          JOINING,
          QUEUE_PAUSED,
          GROUP_PAUSED,
          RATE_REACHED,
          SLOTS_TAKEN,
          BEHIND_OTHERS,
          NEXT_IN_LINE ->
          why(
              explained,
              explained.sentence(),
              evidence,
              explained.fix() == null ? null : explained.fix().command());
      case UNIQUE_KEY_TAKEN ->
          seesOther
              ? of(explained)
              : why(
                  explained,
                  "Dead. It cannot be redriven, because a job of another queue holds its unique"
                      + " key.",
                  evidence,
                  null);
      case ORDERING_KEY_BLOCKED ->
          seesOther
              ? why(
                  explained,
                  explained.sentence(),
                  evidence,
                  explained.fix() == null ? null : explained.fix().command())
              : why(
                  explained,
                  "Behind a job of another queue, which is dead and blocks the ordering key %s."
                      .formatted(key(explained)),
                  evidence,
                  null);
      case BEHIND_ORDERING_KEY ->
          why(
              explained,
              seesOther
                  ? "Behind job %s, which is %s and holds the ordering key %s."
                      .formatted(
                          explained.evidence().get("head"),
                          explained.evidence().get("head_status"),
                          key(explained))
                  : "Behind a job of another queue, which holds the ordering key %s."
                      .formatted(key(explained)),
              evidence,
              null);
      case PROMOTION_PENDING ->
          why(
              explained,
              "Waiting for its turn in the ordering key %s; a worker promotes the next job of the key within a few seconds."
                  .formatted(key(explained)),
              evidence,
              null);
      // Other queues may obey the same limit.
      case LIMIT_REACHED ->
          why(
              explained,
              "Held by the limit %s: as many jobs run as it allows."
                  .formatted(explained.evidence().get("limit")),
              evidence,
              null);
      // The choice between these reasons would depend on the workers of other queues.
      case NO_WORKER, KIND_UNKNOWN, QUEUE_NOT_SERVED ->
          new JobScreen.Why(
              JobExplanation.Reason.NO_WORKER,
              "No living worker that serves the queue %s has a handler for the kind %s."
                  .formatted(job.queue(), job.kind()),
              evidence,
              "skipjack workers");
    };
  }

  private static String key(JobExplanation explained) {
    return String.valueOf(explained.evidence().get("ordering_key"));
  }

  private JobScreen.Why why(
      JobExplanation explained,
      String sentence,
      Map<String, String> evidence,
      @Nullable String fix) {
    Map<String, String> shown = new LinkedHashMap<>();
    evidence.forEach(
        (name, value) ->
            shown.put(
                name,
                Ui.cut(
                    name.contains("error") ? String.valueOf(redaction.message(value)) : value,
                    VisibleReads.LONGEST_TEXT)));
    return new JobScreen.Why(
        explained.reason(),
        Ui.cut(redaction.sentence(sentence), VisibleReads.LONGEST_SENTENCE),
        shown,
        fix);
  }
}
