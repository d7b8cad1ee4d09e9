package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.dashboard.SharedQueries.Started;
import dev.skipjack.outbox.BlockedAggregate;
import dev.skipjack.outbox.DeadEvent;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.OutboxAdmin;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.RelayActivity;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All queries of the dashboard, which it shares between its viewers. Their results are not yet
 * restricted to what a viewer may see, which {@link VisibleReads} does. Thread-safe.
 */
final class Reads {

  /** The maximum length of a list of the outbox. */
  static final int EVENTS = 100;

  /** The maximum length of a list of operations, running jobs or schedules. */
  static final int ROWS = 500;

  private static final Duration NUMBERS = Duration.ofSeconds(3);
  private static final Duration LISTS = Duration.ofSeconds(5);
  private static final Duration SLOW = Duration.ofSeconds(10);

  /** Charts get new numbers once a minute, and each check of the doctor is a statement. */
  private static final Duration CHECKS = Duration.ofSeconds(30);

  /** The SQLSTATE with which the server refuses to read a column. */
  private static final Optional<String> NO_PRIVILEGE = Optional.of("42501");

  private final SharedQueries queries;
  private final JobQueue queue;
  private final JobReader reader;
  private final Doctor doctor;
  private final Schedules schedules;
  private final JobOperations operations;
  private final OutboxAdmin outbox;

  /**
   * @param queue a queue whose statements have a time limit
   */
  Reads(SharedQueries queries, JobQueue queue) {
    this.queries = queries;
    this.queue = queue;
    this.reader = queue.reader();
    this.doctor = queue.doctor();
    this.schedules = queue.schedules();
    this.operations = queue.operations();
    this.outbox = Outbox.on(queue).admin();
  }

  Started<List<JobCount>> counts() {
    return queries.start("counts", NUMBERS, reader::counts);
  }

  Started<List<PendingAge>> oldestPending() {
    return queries.start("oldest", NUMBERS, reader::oldestPending);
  }

  Started<List<QueueState>> queues() {
    return queries.start("queues", NUMBERS, reader::queues);
  }

  Started<Optional<QueueSettings>> settings(String name) {
    return queries.start(List.of("settings", name), LISTS, () -> queue.admin().settings(name));
  }

  Started<List<WorkerInfo>> workers() {
    return queries.start("workers", LISTS, reader::workers);
  }

  Started<List<RunningJob>> running() {
    return queries.start("running", NUMBERS, () -> reader.longestRunning(Duration.ZERO, ROWS));
  }

  Started<List<JobMinutes>> minutes(MinutesQuery query) {
    return queries.start(List.of("minutes", query), CHECKS, () -> reader.minutes(query));
  }

  Started<List<QueueActivity>> activity(MinutesQuery query) {
    return queries.start(List.of("activity", query), CHECKS, () -> reader.activity(query));
  }

  Started<List<QueueDepth>> depths(MinutesQuery query) {
    return queries.start(List.of("depths", query), CHECKS, () -> reader.depths(query));
  }

  Started<List<DeadLetterGroup>> deadLetters() {
    return queries.start("dead", SLOW, reader::deadLetters);
  }

  Started<List<HeldLane>> held() {
    return queries.start("held", LISTS, reader::held);
  }

  Started<List<LimitState>> limits() {
    return queries.start("limits", LISTS, reader::limits);
  }

  Started<List<GroupState>> groups(String name) {
    return queries.start(List.of("groups", name), LISTS, () -> reader.groups(name));
  }

  Started<List<BlockedKey>> blockedKeys() {
    return queries.start("keys", SLOW, reader::blockedKeys);
  }

  /**
   * Returns a page of jobs.
   *
   * @param visible the queues to which the list is restricted; empty for no restriction
   */
  Started<JobPage> jobs(JobQuery query, Optional<Set<String>> visible) {
    Duration fresh = query.order() == JobOrder.FINISHED ? SLOW : LISTS;
    return queries.start(List.of("jobs", query, visible), fresh, () -> list(query, visible));
  }

  private JobPage list(JobQuery query, Optional<Set<String>> visible) {
    try {
      return visible.isPresent() ? reader.list(query, visible.get()) : reader.list(query);
    } catch (IllegalArgumentException malformed) {
      throw Refusal.badInput(
          "The address of this page is malformed. Begin again at the first page.");
    }
  }

  /**
   * Returns a job. Without its payload, it has neither headers nor result nor stack traces. The
   * same is returned if the role of the database may not read payloads.
   */
  Started<Optional<JobDetails>> job(JobId id, boolean payload) {
    return payload
        ? queries.start(List.of("job", id), NUMBERS, () -> readable(id))
        : queries.start(
            List.of("job-without-payload", id), NUMBERS, () -> reader.findWithoutPayload(id));
  }

  private Optional<JobDetails> readable(JobId id) {
    try {
      return reader.find(id);
    } catch (StoreException refused) {
      if (refused.sqlState().equals(NO_PRIVILEGE)) {
        return reader.findWithoutPayload(id);
      }
      throw refused;
    }
  }

  Started<Optional<JobExplanation>> why(JobId id) {
    return queries.start(List.of("why", id), LISTS, () -> reader.why(id));
  }

  Started<List<ScheduleState>> schedules(String after) {
    return queries.start(
        List.of("schedules", after), SLOW, () -> schedules.listWithoutPayloads(after, ROWS));
  }

  Started<List<Finding>> doctor() {
    return queries.start("doctor", CHECKS, doctor::run);
  }

  Started<List<JobOperation>> operations() {
    return queries.start("operations", LISTS, () -> operations.list(ROWS));
  }

  Started<List<JobChange>> changes() {
    return queries.start("changes", LISTS, () -> operations.changes(ROWS));
  }

  Started<Optional<JobOperation>> operation(long id) {
    return queries.start(List.of("operation", id), NUMBERS, () -> operations.find(id));
  }

  Started<OperationPreview> preview(OperationAction action, JobQuery filter) {
    return queries.start(
        List.of("preview", action, filter), CHECKS, () -> operations.preview(action, filter));
  }

  Started<OutboxLag> outboxLag() {
    return queries.start("outbox-lag", SLOW, outbox::lag);
  }

  Started<List<RelayActivity>> relays() {
    return queries.start("relays", SLOW, outbox::relays);
  }

  Started<List<BlockedAggregate>> blockedAggregates() {
    return queries.start("aggregates", SLOW, () -> outbox.blocked(EVENTS));
  }

  Started<List<DeadEvent>> deadEvents() {
    return queries.start("events", SLOW, () -> outbox.dead(EVENTS));
  }

  /** Makes the next reads see a change that was just made. */
  void refresh() {
    queries.refresh();
  }
}
