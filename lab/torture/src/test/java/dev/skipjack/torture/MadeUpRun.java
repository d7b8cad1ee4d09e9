package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.Content;
import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import dev.skipjack.torture.FinalRead.OutboxRead;
import dev.skipjack.torture.FinalRead.ScheduleRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A made-up history and final read. Times are in seconds. */
final class MadeUpRun {

  static final long SECOND = 1_000_000;

  /** The maximum number of attempts of every job. */
  static final int MAX_ATTEMPTS = 5;

  static final Content NO_CONTENT = new Content(0, 0, "{}", "");

  final List<Event> history = new ArrayList<>();
  final List<JobRow> jobs = new ArrayList<>();
  final List<ExecutionRow> executions = new ArrayList<>();
  final List<EffectRow> effects = new ArrayList<>();
  final List<ScheduleRow> schedules = new ArrayList<>();
  final Map<String, Change> changes = new LinkedHashMap<>();
  final Map<String, String> unpublished = new LinkedHashMap<>();
  final Map<String, Long> inboxEffects = new LinkedHashMap<>();
  final Map<Integer, Long> rows = new LinkedHashMap<>();
  final List<Long> keys = new ArrayList<>();

  /** Whether the handlers of completed jobs are added to the history. */
  boolean handlersRan = true;

  long clockError;
  private int faults;

  void event(double second, EventType type, String key, long job, long execution, String detail) {
    history.add(new Event(micros(second), "worker-1", type, key, job, execution, detail));
  }

  static long micros(double seconds) {
    return Math.round(seconds * SECOND);
  }

  void acknowledged(String key, long job) {
    event(1, EventType.REQUESTED, key, 0, 0, "plain");
    event(2, EventType.ACKNOWLEDGED, key, job, 0, "created");
  }

  /** Adds a job. A completed or cancelled job ended at 10. */
  void job(long id, String status, String key, String unique, int attempts, long execution) {
    job(id, status, Workload.PLAIN, key, unique, attempts, execution);
  }

  void job(
      long id,
      String status,
      Workload workload,
      String key,
      String unique,
      int attempts,
      long execution) {
    boolean archived = status.equals("completed") || status.equals("cancelled");
    long ended = archived ? 10 * SECOND : 0;
    jobs.add(
        new JobRow(
            id,
            status,
            archived,
            key,
            workload.name(),
            unique,
            "",
            attempts,
            0,
            MAX_ATTEMPTS,
            SECOND,
            ended,
            execution,
            0,
            NO_CONTENT));
  }

  /**
   * Adds a job with an ordering key.
   *
   * @param ended 0 if it is live
   */
  void ordered(long id, String status, String ordering, int attempts, int most, double ended) {
    boolean archived = status.equals("completed") || status.equals("cancelled");
    jobs.add(
        new JobRow(
            id,
            status,
            archived,
            "k" + id,
            Workload.ORDERED.name(),
            "",
            ordering,
            attempts,
            0,
            most,
            SECOND,
            micros(ended),
            attempts == 0 ? 0 : id * 10 + attempts,
            0,
            NO_CONTENT));
  }

  void event(
      String process, double second, EventType type, long job, long execution, String detail) {
    history.add(new Event(micros(second), process, type, "k" + job, job, execution, detail));
  }

  void attempt(long id, long job, int number, String status, double from, double to) {
    executions.add(
        new ExecutionRow(id, job, number, status, micros(from), micros(to), "worker-1", ""));
  }

  void committed(String event, int aggregate, long number) {
    changes.put(event, new Change(aggregate, number, false));
  }

  /** Adds a copy of an event, which arrives after all copies that were added before. */
  void arrival(String process, double second, String event) {
    Change change = changes.get(event);
    String text = change == null ? "" : change.text();
    inboxEffects.put(event, 1L);
    history.add(new Event(micros(second), process, EventType.PUBLISHED, event, 0, 0, text));
  }

  void fault(String kind, String process, double from, double to) {
    String number = String.valueOf(++faults);
    history.add(new Event(micros(from), process, EventType.FAULT_BEGAN, number, 0, 0, kind));
    history.add(new Event(micros(to), process, EventType.FAULT_ENDED, number, 0, 0, kind));
  }

  /** Makes the server reachable again during the last fault. */
  void reachable(double second) {
    String number = String.valueOf(faults);
    history.add(new Event(micros(second), Event.ALL, EventType.FAULT_EASED, number, 0, 0, ""));
  }

  CheckedRun checked() {
    return new CheckedRun(wholeHistory(), read());
  }

  /** Returns the history with the handlers of the attempts that completed jobs. */
  private List<Event> wholeHistory() {
    List<Event> whole = new ArrayList<>(history);
    for (JobRow job : jobs) {
      if (handlersRan && job.status().equals("completed")) {
        ExecutionRow last =
            executions.stream().filter(row -> row.id() == job.execution()).findAny().orElse(null);
        long from = last == null ? job.ended() : last.started();
        whole.add(handler(from, EventType.STARTED, job));
        whole.add(handler(last == null ? from : last.finished(), EventType.ENDED, job));
      }
    }
    return whole;
  }

  private static Event handler(long micros, EventType type, JobRow job) {
    return new Event(micros, "worker-1", type, job.key(), job.id(), job.execution(), "");
  }

  private FinalRead read() {
    OutboxRead outbox = new OutboxRead(changes, unpublished, inboxEffects);
    return new FinalRead(
        jobs, executions, effects, schedules, keys, outbox, rows, List.of(), clockError);
  }

  FaultLog log() {
    return new FaultLog(history, Pace.FORKED);
  }

  List<Violation> violations() {
    return Checker.check(checked(), Pace.FORKED, log());
  }

  TortureReport report() {
    return TortureReport.of(Map.of(), wholeHistory(), read(), Pace.FORKED);
  }

  /** Returns the counters that are not zero, in their order. */
  List<Counter> nonZeroCounters() {
    TortureReport report = report();
    return List.of(Counter.values()).stream().filter(one -> report.count(one) > 0).toList();
  }
}
