package dev.skipjack.operations.bulk;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.OperationPreview.PayloadChange;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.operations.bulk.OperationTable.Row;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Runs bulk operations on PostgreSQL. Safe for any number of threads. */
public final class JooqJobOperations implements JobOperations {

  private static final int PREVIEW_PAGES = 20;
  private static final int SAMPLE = 5;

  private final OperationTable table;
  private final ChangeTable changes;
  private final JobReader reader;
  private final Function<Supplier<Connection>, BatchCommands> commands;
  private final UnaryOperator<String> requirePatch;

  /**
   * Creates the operations. Opens no connection.
   *
   * @param transactions runs the statements
   * @param dialect renders statements for the queue's schema, without a connection
   * @param reader reads the jobs
   * @param commands creates commands that run in the transaction of the supplied connection
   * @param requirePatch checks a patch of payloads: returns the patch, or throws an exception if it
   *     cannot be applied
   */
  public JooqJobOperations(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      JobReader reader,
      Function<Supplier<Connection>, BatchCommands> commands,
      UnaryOperator<String> requirePatch) {
    this.table = new OperationTable(transactions, dialect);
    this.changes = new ChangeTable(transactions, dialect);
    this.reader = reader;
    this.commands = commands;
    this.requirePatch = requirePatch;
  }

  @Override
  public OperationPreview preview(OperationAction action, JobQuery filter) {
    if (action == OperationAction.EDIT) {
      throw new IllegalArgumentException(
          "EDIT changes payloads. Use preview(action, filter, payloadPatch).");
    }
    return preview(action, filter, null, null);
  }

  @Override
  public OperationPreview preview(OperationAction action, JobQuery filter, String payloadPatch) {
    if (action != OperationAction.EDIT && action != OperationAction.REDRIVE) {
      throw new IllegalArgumentException(
          "%s does not change payloads. Use EDIT or REDRIVE.".formatted(action));
    }
    Objects.requireNonNull(payloadPatch, "payloadPatch");
    return preview(action, filter, requirePatch.apply(payloadPatch), null);
  }

  @Override
  public OperationPreview previewPrune(JobQuery filter, Duration age) {
    if (age.isNegative() || age.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Age %s is not in 0..%d days.".formatted(age, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return preview(OperationAction.PRUNE, filter, null, table.now().minus(age));
  }

  private OperationPreview preview(
      OperationAction action,
      JobQuery filter,
      @Nullable String patch,
      @Nullable Instant diedBefore) {
    JobQuery restricted = action.restrict(filter);
    long newest = table.newestJob();
    List<JobSummary> sample = new ArrayList<>();
    long jobs = 0;
    PageToken position = null;
    for (int page = 0; page < PREVIEW_PAGES; page++) {
      JobPage found = reader.list(OperationRun.from(restricted, position));
      List<JobSummary> matching = OperationRun.matching(found, action, newest, diedBefore);
      jobs += matching.size();
      matching.stream().limit(SAMPLE - sample.size()).forEach(sample::add);
      position = OperationRun.nextOf(found, newest);
      if (position == null) {
        break;
      }
    }
    List<PayloadChange> changes =
        patch == null
            ? List.of()
            : table.changes(sample.stream().map(JobSummary::id).toList(), patch);
    return new OperationPreview(
        action, restricted, patch, changes, jobs, position != null, sample, newest, diedBefore);
  }

  @Override
  public JobOperation start(OperationPreview preview, String actor) {
    ChangeTable.requireActor(actor);
    return table.insert(preview, actor).operation();
  }

  @Override
  public JobOperation run(long id, Consumer<JobOperation> progress) {
    UUID run = UUID.randomUUID();
    if (table.begin(id, run)) {
      OperationRun work = new OperationRun(table, reader, commands, id, run);
      for (Optional<JobOperation> changed = work.batch();
          changed.isPresent();
          changed = work.batch()) {
        progress.accept(changed.get());
      }
    }
    return required(id).operation();
  }

  private Row required(long id) {
    return table
        .find(id)
        .orElseThrow(
            () -> new IllegalArgumentException("There is no operation with the id " + id + "."));
  }

  @Override
  public boolean stop(long id) {
    return table.stop(id);
  }

  @Override
  public Optional<JobOperation> find(long id) {
    return table.find(id).map(Row::operation);
  }

  @Override
  public List<JobOperation> list(int limit) {
    return table.list(required(limit));
  }

  @Override
  public List<JobChange> changes(int limit) {
    return changes.list(required(limit));
  }

  private static int required(int limit) {
    if (limit < 1 || limit > JobQuery.LARGEST) {
      throw new IllegalArgumentException(
          "Limit %d is not in 1..%d.".formatted(limit, JobQuery.LARGEST));
    }
    return limit;
  }

  @Override
  public void record(
      String actor, @Nullable String reason, String action, @Nullable String queue, String target) {
    changes.insert(new ChangeTable.By(actor, reason), action, queue, target);
  }
}
