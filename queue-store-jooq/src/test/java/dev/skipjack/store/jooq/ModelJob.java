package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.UniqueUntil;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The expected state of one job, with the transitions of its state diagram. */
final class ModelJob {

  /** An attempt and its status. */
  private record Attempt(Execution execution, ExecutionStatus status) {}

  private static final Map<JobStatus, Set<JobStatus>> ARROWS =
      Map.of(
          JobStatus.PENDING, EnumSet.of(JobStatus.RUNNING, JobStatus.CANCELLED),
          JobStatus.RUNNING,
              EnumSet.of(
                  JobStatus.PENDING, JobStatus.DEAD, JobStatus.COMPLETED, JobStatus.CANCELLED),
          JobStatus.DEAD, EnumSet.of(JobStatus.PENDING),
          JobStatus.COMPLETED, EnumSet.noneOf(JobStatus.class),
          JobStatus.CANCELLED, EnumSet.noneOf(JobStatus.class));

  final JobId id;
  final int payload;
  final String queue;
  final int maxAttempts;
  int priority;
  boolean isLater;

  /**
   * A number that grows with each write of a due time. A lane is served in the order of these
   * numbers.
   */
  long dueSince;

  boolean isExpired;
  boolean isCancelRequested;
  @Nullable String uniqueKey;
  @Nullable UniqueUntil uniqueUntil;
  @Nullable String freedKey;

  /** The progress that an attempt reported last, or null if none has reported any. */
  @Nullable Integer percent;

  private JobStatus status = JobStatus.PENDING;
  private @Nullable Execution current;
  private @Nullable Execution last;
  private boolean isGone;
  private int uncountedAttempts;
  private final List<Attempt> attempts = new ArrayList<>();

  ModelJob(JobId id, int payload, String queue, int priority, int maxAttempts) {
    this.id = id;
    this.payload = payload;
    this.queue = queue;
    this.priority = priority;
    this.maxAttempts = maxAttempts;
  }

  boolean is(JobStatus wanted) {
    return !isGone && status == wanted;
  }

  /** Returns whether the job is in the live table. */
  boolean isLive() {
    return !isGone && status != JobStatus.COMPLETED && status != JobStatus.CANCELLED;
  }

  boolean isGone() {
    return isGone;
  }

  JobStatus status() {
    return status;
  }

  @Nullable ExecutionId holder() {
    return current == null ? null : current.id();
  }

  boolean isOwnedBy(Execution execution) {
    return execution.equals(current);
  }

  @Nullable Execution current() {
    return current;
  }

  int used() {
    return attempts.size() - uncountedAttempts;
  }

  int completions() {
    return (int)
        attempts.stream().filter(attempt -> attempt.status() == ExecutionStatus.SUCCEEDED).count();
  }

  void start(Execution execution, boolean expires) {
    moveTo(JobStatus.RUNNING);
    assertThat(used()).as("used attempts of %s at its claim", id).isLessThan(maxAttempts);
    current = execution;
    isExpired = expires;
    attempts.add(new Attempt(execution, ExecutionStatus.RUNNING));
    if (uniqueUntil == UniqueUntil.STARTED) {
      uniqueKey = null;
    }
  }

  /** Ends the attempt. After a retry, snooze or release, the job is pending. */
  void stop(JobStatus to, ExecutionStatus as) {
    moveTo(to);
    attempts.set(
        attempts.size() - 1, new Attempt(attempts.get(attempts.size() - 1).execution(), as));
    last = current;
    current = null;
    if (as == ExecutionStatus.SNOOZED || as == ExecutionStatus.RELEASED) {
      uncountedAttempts++;
    }
    if (to == JobStatus.DEAD && uniqueUntil != UniqueUntil.ENDED) {
      freedKey = uniqueKey;
      uniqueKey = null;
    }
  }

  void cancelWhileItWaits() {
    moveTo(JobStatus.CANCELLED);
    last = null;
  }

  void redrive(long due) {
    moveTo(JobStatus.PENDING);
    uncountedAttempts = attempts.size();
    if (freedKey != null) {
      uniqueKey = freedKey;
    }
    freedKey = null;
    isLater = false;
    dueSince = due;
  }

  /**
   * Removes the job, because it was pruned or because it ended in a queue that archives nothing.
   */
  void vanish() {
    assertThat(status).isIn(JobStatus.DEAD, JobStatus.COMPLETED, JobStatus.CANCELLED);
    isGone = true;
  }

  private void moveTo(JobStatus next) {
    assertThat(ARROWS.get(status)).as("%s was %s", id, status).contains(next);
    assertThat(isGone).isFalse();
    status = next;
  }

  /** Returns the job's rows in the format of {@link JobWalk#SNAPSHOT}. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    String all =
        "%s %s %d %d %d %d %s %d"
            .formatted(
                isLive() ? "is" : "was",
                status.literal(),
                attempts.size(),
                uncountedAttempts,
                maxAttempts,
                priority,
                queue,
                payload);
    if (isLive()) {
      lines.add(
          "%s %s %s %s %s %s %s %s %s"
              .formatted(
                  id,
                  all,
                  current == null ? "-" : current.id(),
                  letter(current != null && isExpired),
                  letter(isCancelRequested),
                  letter(status == JobStatus.PENDING && isLater),
                  uniqueKey == null ? "-" : uniqueKey,
                  freedKey == null ? "-" : freedKey,
                  percent == null ? "-" : percent));
    } else if (!isGone) {
      lines.add("%s %s %s".formatted(id, all, last == null ? "-" : last.id()));
    }
    if (!attempts.isEmpty()) {
      StringBuilder audit = new StringBuilder(id + " ran");
      for (int i = 0; i < attempts.size(); i++) {
        audit.append(
            " %d:%s:%s"
                .formatted(
                    i + 1, attempts.get(i).status().literal(), attempts.get(i).execution().id()));
      }
      lines.add(audit.toString());
    }
    return lines;
  }

  private static String letter(boolean flag) {
    return flag ? "t" : "f";
  }
}
