package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Indexes a history and a final read by job, key, attempt and event. */
final class CheckedRun {

  final List<Event> events;

  /** The copies of events that arrived at the destination, in the order of their arrival. */
  final List<Event> arrivals;

  final Map<Long, List<JobRow>> jobs;
  final Map<String, List<JobRow>> jobsByKey;
  final Map<Long, ExecutionRow> executions = new HashMap<>();
  final Map<Long, List<ExecutionRow>> executionsByJob;
  final Map<Long, List<EffectRow>> effectsByJob;
  final Map<String, Change> changes;
  final FinalRead read;

  CheckedRun(List<Event> history, FinalRead read) {
    this.read = read;
    this.events = new ArrayList<>(history);
    this.arrivals = history.stream().filter(event -> event.type() == EventType.PUBLISHED).toList();
    this.changes = read.outbox().changes();
    events.sort(Comparator.comparingLong(Event::micros));
    this.jobs = group(read.jobs(), JobRow::id);
    this.jobsByKey = group(read.jobs(), JobRow::key);
    this.executionsByJob = group(read.executions(), ExecutionRow::job);
    this.effectsByJob = group(read.effects(), EffectRow::job);
    read.executions().forEach(execution -> executions.put(execution.id(), execution));
    executionsByJob
        .values()
        .forEach(attempts -> attempts.sort(Comparator.comparingLong(ExecutionRow::id)));
  }

  private static <K extends Comparable<K>, V> Map<K, List<V>> group(
      List<V> rows, Function<V, K> by) {
    Map<K, List<V>> groups = new TreeMap<>();
    rows.forEach(row -> groups.computeIfAbsent(by.apply(row), key -> new ArrayList<>()).add(row));
    return groups;
  }

  List<Event> events(EventType type) {
    return events.stream().filter(event -> event.type() == type).toList();
  }

  List<JobRow> job(long id) {
    return jobs.getOrDefault(id, List.of());
  }

  List<ExecutionRow> attempts(long job) {
    return executionsByJob.getOrDefault(job, List.of());
  }

  /**
   * Returns the attempt that an event refers to; null if it is not in the audit or belongs to
   * another job.
   */
  @Nullable ExecutionRow attempt(Event event) {
    ExecutionRow attempt = executions.get(event.execution());
    return attempt == null || attempt.job() != event.job() ? null : attempt;
  }

  List<EffectRow> effects(long job) {
    return effectsByJob.getOrDefault(job, List.of());
  }

  String key(long job) {
    List<JobRow> rows = job(job);
    return rows.isEmpty() ? Event.NONE : rows.get(0).key();
  }

  /** Returns everything known about a job, oldest first, one line per event. */
  List<String> story(long job, String key) {
    Map<Long, List<String>> lines = new TreeMap<>();
    for (Event event : events) {
      boolean ofJob = job != 0 && event.job() == job;
      if (ofJob || (!key.equals(Event.NONE) && event.key().equals(key))) {
        add(lines, event.micros(), event.line());
      }
    }
    for (ExecutionRow attempt : attempts(job)) {
      add(lines, attempt.started(), "audit " + attempt);
    }
    for (JobRow row : job(job)) {
      add(lines, Math.max(row.created(), row.ended()), "final " + row);
    }
    for (EffectRow effect : effects(job)) {
      add(lines, Long.MAX_VALUE, "final " + effect);
    }
    Change change = changes.get(key);
    if (change != null) {
      String status = read.outbox().unpublished().getOrDefault(key, "published");
      add(lines, Long.MAX_VALUE, "final " + change + " " + status);
    }
    return lines.values().stream().flatMap(List::stream).toList();
  }

  private static void add(Map<Long, List<String>> lines, long micros, String line) {
    lines.computeIfAbsent(micros, at -> new ArrayList<>()).add(line);
  }
}
