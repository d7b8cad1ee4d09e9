package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadLetterGroup;
import dev.skipjack.api.JobCount;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobOrder;
import dev.skipjack.api.JobPage;
import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobReader;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobSummary;
import dev.skipjack.api.PageToken;
import dev.skipjack.api.PendingAge;
import dev.skipjack.api.QueueState;
import dev.skipjack.api.WorkerInfo;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The reader's promises kept with jOOQ's statements on PostgreSQL. */
final class JooqJobReader implements JobReader {

  private final OwnTransactions transactions;
  private final ReadStatements statements;

  JooqJobReader(OwnTransactions transactions, ReadStatements statements) {
    this.transactions = transactions;
    this.statements = statements;
  }

  @Override
  public Optional<JobDetails> find(JobId id) {
    return transactions
        .run(statements.find, FindStatement.arguments(id), FindStatement::read)
        .stream()
        .findFirst()
        .map(job -> job.withExecutions(executions(id)));
  }

  private List<JobExecution> executions(JobId id) {
    List<JobExecution> latestFirst =
        new ArrayList<>(
            transactions.run(
                statements.executions,
                ExecutionsStatement.arguments(id),
                ExecutionsStatement::read));
    Collections.reverse(latestFirst);
    return latestFirst;
  }

  @Override
  public JobPage list(JobQuery query) {
    PageToken token = query.after();
    Position from =
        token == null ? Position.startOf(query.order()) : Position.of(token, query.order());
    JobStatus status = query.status();
    return switch (query.order()) {
      case FINISHED -> page(statements.listArchived, query, from, isFiltered(query));
      case DUE ->
          page(statements.listDue, query, from, query.kind() != null || query.tag() != null);
      case ID -> status == null ? walk(query, from) : byStatus(query, status, from);
    };
  }

  private JobPage byStatus(JobQuery query, JobStatus status, Position from) {
    if (status == JobStatus.DEAD) {
      return page(statements.listDead, query, from, query.tag() != null);
    }
    if (status == JobStatus.PENDING) {
      return walk(query, from);
    }
    List<PageQuery.Row> few =
        rows(
            status == JobStatus.RUNNING ? statements.listRunning : statements.listWaiting,
            query,
            from,
            true);
    boolean all = few.get(0).horizon() == null;
    return all ? page(few, query) : walk(query, from);
  }

  private JobPage walk(JobQuery query, Position from) {
    return page(statements.listLive, query, from, isFiltered(query));
  }

  private static boolean isFiltered(JobQuery query) {
    return query.queue() != null
        || query.kind() != null
        || query.status() != null
        || query.tag() != null;
  }

  private JobPage page(StatementText statement, JobQuery query, Position from, boolean filtered) {
    return page(rows(statement, query, from, filtered), query);
  }

  private List<PageQuery.Row> rows(
      StatementText statement, JobQuery query, Position from, boolean filtered) {
    Arguments arguments =
        PageQuery.arguments(query, from, filtered ? ReadBounds.EXACT : query.limit());
    return transactions.run(statement, arguments, PageQuery::read);
  }

  /** A full page ends at its last job, any other where the look ended. */
  private static JobPage page(List<PageQuery.Row> rows, JobQuery query) {
    List<JobSummary> jobs = new ArrayList<>(rows.size());
    for (PageQuery.Row row : rows) {
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
    List<JobCount> counted = all(statements.counts, CountsStatement::read);
    return counted.stream().anyMatch(JobCount::estimated)
        ? CountEstimates.merge(counted, all(statements.countSample, CountSampleStatement::read))
        : CountEstimates.sorted(counted);
  }

  @Override
  public List<PendingAge> oldestPending() {
    return all(statements.oldestPending, OldestPendingStatement::read);
  }

  @Override
  public List<DeadLetterGroup> deadLetters() {
    return all(statements.deadLetters, DeadLettersStatement::read);
  }

  @Override
  public List<QueueState> queues() {
    return all(statements.queueSettings, QueueSettingsStatement::read);
  }

  @Override
  public List<WorkerInfo> workers() {
    return all(statements.workers, WorkersStatement::read);
  }

  private <R> List<R> all(StatementText statement, StatementText.RowReader<R> reader) {
    return transactions.run(statement, new Arguments(), reader);
  }
}
