package dev.skipjack.operations.read;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.JobOrder;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.LimitState;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.api.spi.Names;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jooq.DSLContext;

/** Reads jobs from PostgreSQL. */
public final class JooqJobReader implements JobReader {

  private final OwnTransactions transactions;
  private final Function<JobId, Optional<JobExplanation>> explainer;
  private final Statement<JobId, JobDetails> find;
  private final Statement<JobId, JobDetails> findWithoutPayload;
  private final Statement<JobId, JobExecution> executions;
  private final Statement<JobId, JobExecution> executionsWithoutStacks;
  private final Lazy<Map<JobFilter, Lists>> lists;
  private final Statement<NoRequest, JobCount> counts;
  private final Statement<NoRequest, JobCount> countSample;
  private final Statement<NoRequest, PendingAge> oldestPending;
  private final Statement<NoRequest, DeadLetterGroup> groupDeadJobs;
  private final Statement<NoRequest, QueueState> queueSettings;
  private final Statement<NoRequest, LimitState> limits;
  private final Statement<String, GroupState> groups;
  private final HeldLanes heldLanes;
  private final Statement<NoRequest, WorkerInfo> workers;
  private final Statement<NoRequest, BlockedKey> blockedKeys;
  private final Statement<MinutesQuery, JobMinutes> minutes;
  private final Statement<MinutesQuery, QueueActivity> activity;
  private final Statement<MinutesQuery, QueueDepth> depths;
  private final Statement<LongestRunningStatement.Request, RunningJob> longestRunning;

  /** The statements of the lists. */
  private record Lists(
      Statement<PageQuery.Request, PageQuery.Entry> live,
      Statement<PageQuery.Request, PageQuery.Entry> running,
      Statement<PageQuery.Request, PageQuery.Entry> waiting,
      Statement<PageQuery.Request, PageQuery.Entry> dead,
      Statement<PageQuery.Request, PageQuery.Entry> due,
      Statement<PageQuery.Request, PageQuery.Entry> archived) {

    static Map<JobFilter, Lists> ofEach(Lazy<DSLContext> dialect) {
      Map<JobFilter, Lists> lists = new EnumMap<>(JobFilter.class);
      for (JobFilter filter : JobFilter.values()) {
        lists.put(filter, of(dialect, filter));
      }
      return lists;
    }

    private static Lists of(Lazy<DSLContext> dialect, JobFilter filter) {
      return new Lists(
          Statement.lazily(() -> ListLiveStatement.of(dialect.get(), filter)),
          Statement.lazily(() -> ListFewStatement.running(dialect.get(), filter)),
          Statement.lazily(() -> ListFewStatement.waiting(dialect.get(), filter)),
          Statement.lazily(() -> ListDeadStatement.of(dialect.get(), filter)),
          Statement.lazily(() -> ListDueStatement.of(dialect.get(), filter)),
          Statement.lazily(() -> ListArchivedStatement.of(dialect.get(), filter)));
    }
  }

  /**
   * Creates a reader. Opens no connection.
   *
   * @param transactions the transactions, which should be {@link OwnTransactions#readOnly}
   * @param dialect renders statements for the queue's schema, without a connection
   * @param explainer explains a job
   */
  public JooqJobReader(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      Function<JobId, Optional<JobExplanation>> explainer) {
    this.transactions = transactions;
    this.explainer = explainer;
    this.find = Statement.lazily(() -> FindJobStatement.of(dialect.get()));
    this.findWithoutPayload =
        Statement.lazily(() -> FindJobStatement.withoutPayload(dialect.get()));
    this.executions = Statement.lazily(() -> ExecutionsStatement.of(dialect.get()));
    this.executionsWithoutStacks =
        Statement.lazily(() -> ExecutionsStatement.withoutStacks(dialect.get()));
    this.lists = Lazy.of(() -> Lists.ofEach(dialect));
    this.counts = Statement.lazily(() -> CountsStatement.of(dialect.get()));
    this.countSample = Statement.lazily(() -> CountSampleStatement.of(dialect.get()));
    this.oldestPending = Statement.lazily(() -> OldestPendingStatement.of(dialect.get()));
    this.groupDeadJobs = Statement.lazily(() -> GroupDeadJobsStatement.of(dialect.get()));
    this.queueSettings = Statement.lazily(() -> QueueSettingsStatement.of(dialect.get()));
    this.limits = Statement.lazily(() -> LimitsStatement.of(dialect.get()));
    this.groups = Statement.lazily(() -> GroupsStatement.of(dialect.get()));
    this.heldLanes = new HeldLanes(transactions, dialect);
    this.workers = Statement.lazily(() -> WorkersStatement.of(dialect.get()));
    this.blockedKeys = Statement.lazily(() -> BlockedKeysStatement.of(dialect.get()));
    this.minutes = Statement.lazily(() -> MinutesStatement.of(dialect.get()));
    this.activity = Statement.lazily(() -> ActivityStatement.of(dialect.get()));
    this.depths = Statement.lazily(() -> DepthsStatement.of(dialect.get()));
    this.longestRunning = Statement.lazily(() -> LongestRunningStatement.of(dialect.get()));
  }

  @Override
  public Optional<JobDetails> find(JobId id) {
    return find(id, find, executions);
  }

  @Override
  public Optional<JobDetails> findWithoutPayload(JobId id) {
    return find(id, findWithoutPayload, executionsWithoutStacks);
  }

  private Optional<JobDetails> find(
      JobId id, Statement<JobId, JobDetails> job, Statement<JobId, JobExecution> attempts) {
    return transactions.run(job, id).stream()
        .findFirst()
        .map(found -> found.withExecutions(oldestFirst(transactions.run(attempts, id))));
  }

  @Override
  public Optional<JobExplanation> why(JobId id) {
    return explainer.apply(id);
  }

  private static List<JobExecution> oldestFirst(List<JobExecution> latestFirst) {
    List<JobExecution> reversed = new ArrayList<>(latestFirst);
    Collections.reverse(reversed);
    return reversed;
  }

  @Override
  public JobPage list(JobQuery query) {
    return list(query, query.queue() == null ? List.of() : List.of(query.queue()));
  }

  @Override
  public JobPage list(JobQuery query, Set<String> queues) {
    List<String> wanted =
        queues.stream()
            .filter(queue -> query.queue() == null || query.queue().equals(queue))
            .toList();
    return wanted.isEmpty() ? new JobPage(List.of(), null) : list(query, wanted);
  }

  /**
   * Lists jobs.
   *
   * @param queues the queues of the jobs; empty for all
   */
  private JobPage list(JobQuery query, List<String> queues) {
    PageToken token = query.after();
    Position from =
        token == null ? Position.startOf(query.order()) : Position.of(token, query.order());
    Range range = new Range(query, queues, from);
    JobStatus status = query.status();
    return switch (query.order()) {
      case FINISHED -> page(lists(query).archived(), range, range.isFiltered());
      case DUE -> page(lists(query).due(), range, query.kind() != null || range.filtersRows());
      case ID -> status == null ? walk(range) : byStatus(range, status);
    };
  }

  private JobPage byStatus(Range range, JobStatus status) {
    return switch (status) {
      case PENDING -> walk(range);
      case RUNNING -> few(lists(range.query()).running(), range);
      case WAITING -> few(lists(range.query()).waiting(), range);
      case DEAD -> page(lists(range.query()).dead(), range, range.filtersRows());
      case COMPLETED, CANCELLED ->
          throw new IllegalArgumentException("Status %s is not live.".formatted(status));
    };
  }

  /**
   * Reads all jobs with a status that few jobs have. If too many jobs have it, reads the table
   * instead.
   */
  private JobPage few(Statement<PageQuery.Request, PageQuery.Entry> statement, Range range) {
    List<PageQuery.Entry> rows = rows(statement, range, true);
    boolean all = rows.get(0).horizon() == null;
    return all ? page(rows, range.query()) : walk(range);
  }

  private JobPage walk(Range range) {
    return page(lists(range.query()).live(), range, range.isFiltered());
  }

  /**
   * The jobs to list.
   *
   * @param queues their queues; empty for all
   * @param from the position after which the page begins
   */
  private record Range(JobQuery query, List<String> queues, Position from) {

    boolean isFiltered() {
      return !queues.isEmpty() || query.kind() != null || query.status() != null || filtersRows();
    }

    /** Returns whether the query has a filter that no index and no group of an index covers. */
    boolean filtersRows() {
      return query.group() != null
          || query.tag() != null
          || query.error() != null
          || query.errorClass() != null
          || query.errorGroup() != null
          || query.since() != null
          || query.payload() != null;
    }
  }

  private Lists lists(JobQuery query) {
    return Objects.requireNonNull(lists.get().get(JobFilter.of(query)));
  }

  private JobPage page(
      Statement<PageQuery.Request, PageQuery.Entry> statement, Range range, boolean filtered) {
    return page(rows(statement, range, filtered), range.query());
  }

  private List<PageQuery.Entry> rows(
      Statement<PageQuery.Request, PageQuery.Entry> statement, Range range, boolean filtered) {
    JobQuery query = range.query();
    int bound = query.payload() == null ? ReadBounds.EXACT : ReadBounds.PAYLOADS;
    int most = filtered ? bound : query.limit();
    return transactions.run(
        statement, new PageQuery.Request(query, range.queues(), range.from(), most));
  }

  /**
   * Builds the page. The next page begins after the last job if this page is full, and otherwise
   * where reading stopped.
   */
  private static JobPage page(List<PageQuery.Entry> rows, JobQuery query) {
    List<JobSummary> jobs = new ArrayList<>(rows.size());
    for (PageQuery.Entry row : rows) {
      JobSummary job = row.job();
      if (job != null) {
        jobs.add(job);
      }
    }
    Position next =
        jobs.size() == query.limit()
            ? positionOf(jobs.get(jobs.size() - 1), query.order())
            : rows.get(0).horizon();
    return new JobPage(jobs, next == null ? null : next.token(query.order()));
  }

  private static Position positionOf(JobSummary job, JobOrder order) {
    long id = job.id().value();
    return switch (order) {
      case ID -> Position.of(id);
      case DUE -> Position.of(job.scheduledAt(), id);
      case FINISHED -> Position.of(Objects.requireNonNull(job.finishedAt()), id);
    };
  }

  @Override
  public List<JobCount> counts() {
    List<JobCount> counted = transactions.run(counts);
    return counted.stream().anyMatch(JobCount::estimated)
        ? CountEstimates.merge(counted, transactions.run(countSample))
        : CountEstimates.sorted(counted);
  }

  @Override
  public List<PendingAge> oldestPending() {
    return transactions.run(oldestPending);
  }

  @Override
  public List<DeadLetterGroup> deadLetters() {
    return transactions.run(groupDeadJobs);
  }

  @Override
  public List<QueueState> queues() {
    return transactions.run(queueSettings);
  }

  @Override
  public List<LimitState> limits() {
    return transactions.run(limits);
  }

  @Override
  public List<GroupState> groups(String queue) {
    return transactions.run(groups, Names.requireQueue(queue));
  }

  @Override
  public List<HeldLane> held() {
    return heldLanes.find();
  }

  @Override
  public List<BlockedKey> blockedKeys() {
    return transactions.run(blockedKeys);
  }

  @Override
  public List<RunningJob> longestRunning(Duration atLeast, int limit) {
    if (atLeast.isNegative() || atLeast.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Duration %s is not in 0..%d days."
              .formatted(atLeast, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    if (limit < 1 || limit > JobQuery.LARGEST) {
      throw new IllegalArgumentException(
          "Limit %d is not in 1..%d.".formatted(limit, JobQuery.LARGEST));
    }
    return transactions.run(longestRunning, new LongestRunningStatement.Request(atLeast, limit));
  }

  @Override
  public List<WorkerInfo> workers() {
    return transactions.run(workers);
  }

  @Override
  public List<JobMinutes> minutes(MinutesQuery query) {
    return transactions.run(minutes, query);
  }

  @Override
  public List<QueueActivity> activity(MinutesQuery query) {
    return transactions.run(activity, query);
  }

  @Override
  public List<QueueDepth> depths(MinutesQuery query) {
    return transactions.run(depths, query);
  }
}
