package dev.skipjack.store.jooq;

import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An in-memory model of limits, which predicts how many jobs a claim returns. */
final class LimitModel {

  /** A number that is not set. */
  private static final int ANY = Integer.MAX_VALUE;

  /** A live job. */
  static final class Job {

    final JobId id;
    String queue;
    final String group;
    String status = "pending";

    /** The limit under which the running attempt was claimed; empty if there was none. */
    String limit = "";

    @Nullable Execution execution;

    Job(JobId id, String queue, String group) {
      this.id = id;
      this.queue = queue;
      this.group = group;
    }

    boolean is(String expected) {
      return status.equals(expected);
    }

    void leaveRunning(String next) {
      status = next;
      execution = null;
    }

    @Override
    public String toString() {
      return "%s %s %s %s %s".formatted(id, queue, group, status, limit);
    }
  }

  /** The numbers of a limit. */
  record Numbers(@Nullable Integer running, @Nullable Integer perGroup) {}

  final Map<JobId, Job> jobs = new TreeMap<>((one, two) -> Long.compare(one.value(), two.value()));
  final Map<String, Numbers> limits = new HashMap<>();

  /** The limits of the queues; empty if a queue has none. */
  final Map<String, String> limitOf = new HashMap<>();

  final Set<String> fair = new HashSet<>();

  /** Groups as queue and group. */
  final Set<String> paused = new HashSet<>();

  final Map<String, Integer> mostOf = new HashMap<>();

  static String key(String queue, String group) {
    return queue + " " + group;
  }

  Stream<Job> running() {
    return jobs.values().stream().filter(job -> job.is("running"));
  }

  List<Job> all(Predicate<Job> which) {
    return jobs.values().stream().filter(which).toList();
  }

  boolean isGrouped(String queue) {
    return fair.contains(queue) || !limit(queue).isEmpty();
  }

  String limit(String queue) {
    return limitOf.getOrDefault(queue, "");
  }

  /** Returns how many more jobs of a limit may run. */
  private int free(String limit) {
    Integer most = limit.isEmpty() ? null : Objects.requireNonNull(limits.get(limit)).running;
    return most == null
        ? ANY
        : most - (int) running().filter(job -> job.limit.equals(limit)).count();
  }

  /** Returns how many more jobs of a group may run. */
  private int free(String queue, String group) {
    String limit = limit(queue);
    if (limit.isEmpty()) {
      return ANY;
    }
    Integer own = mostOf.get(key(queue, group));
    Integer most = own != null ? own : Objects.requireNonNull(limits.get(limit)).perGroup;
    return most == null
        ? ANY
        : most
            - (int)
                running().filter(job -> job.limit.equals(limit) && job.group.equals(group)).count();
  }

  /** Returns how many jobs a claim from a fair or limited queue returns. */
  int claimable(String queue, int room) {
    Map<String, Integer> due = new HashMap<>();
    for (Job job : jobs.values()) {
      if (job.is("pending") && job.queue.equals(queue) && !paused.contains(key(queue, job.group))) {
        due.merge(job.group, 1, Integer::sum);
      }
    }
    long all = 0;
    for (Map.Entry<String, Integer> group : due.entrySet()) {
      all += Math.max(0, Math.min(group.getValue(), free(queue, group.getKey())));
    }
    return (int) Math.max(0, Math.min(Math.min(room, all), free(limit(queue))));
  }

  /** Returns what is wrong with a job that was claimed, before it is recorded; empty if nothing. */
  List<String> objections(Job job, String queue) {
    List<String> objections = new ArrayList<>();
    if (!job.is("pending") || !job.queue.equals(queue)) {
      objections.add("it is " + job);
    }
    if (paused.contains(key(queue, job.group))) {
      objections.add("its group is paused");
    }
    if (free(limit(queue)) <= 0) {
      objections.add("its limit is used up");
    }
    if (free(queue, job.group) <= 0) {
      objections.add("its group uses up the limit");
    }
    return objections;
  }
}
