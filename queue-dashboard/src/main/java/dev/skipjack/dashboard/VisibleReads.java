package dev.skipjack.dashboard;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.GroupState;
import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.JobChange;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.dashboard.SharedQueries.Started;
import dev.skipjack.outbox.BlockedAggregate;
import dev.skipjack.outbox.DeadEvent;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.outbox.RelayActivity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All queries of the dashboard, as one visitor may see their results: only the jobs, schedules and
 * workers of the visible queues, and texts without the values that are hidden from the visitor. No
 * page reads in another way. Thread-safe.
 */
final class VisibleReads {

  private static final int MOST_SCHEDULE_PAGES = 20;

  /** The library writes shorter texts, except errors. */
  static final int LONGEST_TEXT = 2_000;

  /** The maximum length of a sentence that contains such texts. */
  static final int LONGEST_SENTENCE = 20_000;

  private final Reads reads;
  private final Access access;
  private final PayloadView payloads;
  private final Redaction redaction;
  private final Explanations explanations;

  VisibleReads(Reads reads, Access access, PayloadView payloads) {
    this.reads = reads;
    this.access = access;
    this.payloads = payloads;
    this.redaction = new Redaction(payloads, access.payloads());
    this.explanations = new Explanations(redaction);
  }

  /** Restricts a list to what belongs to the visible queues, and changes what is left. */
  private <T, R> Started<List<R>> visible(
      Started<List<T>> all, Function<T, String> queue, Function<T, R> shown) {
    return all.map(
        rows -> rows.stream().filter(row -> access.sees(queue.apply(row))).map(shown).toList());
  }

  /** Limits a text that other programs may have written to the database. */
  static @Nullable String brief(@Nullable String text) {
    return text == null ? null : Ui.cut(text, LONGEST_TEXT);
  }

  private void requireAllQueues() {
    if (!access.seesEverything()) {
      throw Refusal.forbidden("This is only for users who may see all queues.");
    }
  }

  Started<List<JobCount>> counts() {
    return visible(reads.counts(), JobCount::queue, Function.identity());
  }

  Started<List<PendingAge>> oldestPending() {
    return visible(reads.oldestPending(), PendingAge::queue, Function.identity());
  }

  Started<List<QueueState>> queues() {
    return visible(reads.queues(), QueueState::queue, VisibleReads::brief);
  }

  private static QueueState brief(QueueState state) {
    return new QueueState(
        state.queue(),
        state.pausedAt(),
        state.pausedUntil(),
        brief(state.pausedBy()),
        brief(state.pauseReason()),
        state.limit(),
        state.fair(),
        state.archiveRetention(),
        state.deadRetention(),
        state.defaultPriority(),
        state.defaultMaxAttempts(),
        state.updatedAt());
  }

  /** Returns the settings of a queue, or empty if it has none. */
  Started<Optional<QueueSettings>> settings(String queue) {
    return reads.settings(queue).map(found -> found.filter(settings -> access.sees(queue)));
  }

  /** Returns the workers that serve a visible queue. */
  Started<List<ServingWorker>> workers() {
    var workers = reads.workers();
    if (access.seesEverything()) {
      return workers.map(all -> all.stream().map(ServingWorker::of).toList());
    }
    var counts = counts();
    return () -> {
      Set<String> kinds =
          counts.panel().or(List.of()).stream().map(JobCount::kind).collect(Collectors.toSet());
      return workers
          .panel()
          .map(
              all ->
                  all.stream()
                      .map(worker -> ServingWorker.of(worker).only(access::sees, kinds::contains))
                      .filter(worker -> !worker.queues().isEmpty())
                      .toList());
    };
  }

  /** Returns those of the longest running jobs that are visible. */
  Started<List<RunningRow>> running() {
    return visible(
        reads.running(),
        running -> running.job().queue(),
        running ->
            new RunningRow(
                shown(running.job()),
                running.runsFor(),
                running.host(),
                running.pid(),
                redaction.stack(running.stack())));
  }

  /** Returns what the workers did with jobs of the visible ones of the given queues. */
  Started<List<JobMinutes>> minutes(MinutesQuery query) {
    return restricted(query).map(reads::minutes).orElse(VisibleReads::nothing);
  }

  /** Returns how many attempts of the visible queues ended. */
  Started<List<QueueActivity>> activity(MinutesQuery query) {
    return visible(reads.activity(query), QueueActivity::queue, Function.identity());
  }

  /** Returns how many live jobs the visible ones of the given queues had. */
  Started<List<QueueDepth>> depths(MinutesQuery query) {
    return restricted(query).map(reads::depths).orElse(VisibleReads::nothing);
  }

  /** Restricts a query to the visible queues. Returns empty if it asks for none of them. */
  private Optional<MinutesQuery> restricted(MinutesQuery query) {
    if (access.seesEverything()) {
      return Optional.of(query);
    }
    Set<String> wanted = query.queues().isEmpty() ? access.queues().orElseThrow() : query.queues();
    Set<String> visible = wanted.stream().filter(access::sees).collect(Collectors.toSet());
    return visible.isEmpty() ? Optional.empty() : Optional.of(query.queues(visible));
  }

  private static <T> Panel<List<T>> nothing() {
    return new Panel<>(List.of(), null, null);
  }

  Started<List<DeadRow>> deadLetters() {
    return visible(
        reads.deadLetters(),
        group -> group.queue(),
        group -> DeadRow.of(group, text(group.error())));
  }

  Started<List<HeldLane>> held() {
    return visible(reads.held(), HeldLane::queue, Function.identity());
  }

  /** Returns the limits that a visible queue obeys. */
  Started<List<LimitsScreen.Row>> limits() {
    return reads
        .limits()
        .map(
            all ->
                all.stream()
                    .map(limit -> LimitsScreen.Row.of(limit, access::sees))
                    .filter(row -> access.seesEverything() || !row.queues().isEmpty())
                    .toList());
  }

  /** Returns the groups of a visible queue. */
  Started<List<GroupState>> groups(String queue) {
    return visible(reads.groups(queue), GroupState::queue, Function.identity());
  }

  Started<List<BlockedKey>> blockedKeys() {
    return visible(
        reads.blockedKeys(),
        BlockedKey::queue,
        key ->
            new BlockedKey(
                key.orderingKey(),
                key.head(),
                key.queue(),
                key.kind(),
                key.diedAt(),
                redaction.message(key.lastError()),
                key.waiting()));
  }

  Started<JobPage> jobs(JobQuery query) {
    return reads
        .jobs(query, access.queues())
        .map(page -> new JobPage(shown(page.jobs()), page.nextToken()));
  }

  private List<JobSummary> shown(List<JobSummary> jobs) {
    return jobs.stream().map(this::shown).toList();
  }

  private JobSummary shown(JobSummary job) {
    return new JobSummary(
        job.id(),
        job.status(),
        job.queue(),
        job.kind(),
        job.group(),
        job.priority(),
        job.attempts(),
        job.uncountedAttempts(),
        job.maxAttempts(),
        job.createdAt(),
        job.scheduledAt(),
        job.startedAt(),
        job.diedAt(),
        job.finishedAt(),
        brief(job.worker()),
        redaction.message(job.lastError()),
        job.tags().stream().map(tag -> Ui.cut(tag, LONGEST_TEXT)).toList());
  }

  /** Returns a job with its payload if the visitor may see it, or empty if the job is hidden. */
  Started<Optional<SeenJob>> job(JobId id) {
    return visibleJob(id).map(found -> found.map(this::seen));
  }

  private Started<Optional<JobDetails>> visibleJob(JobId id) {
    return reads
        .job(id, access.payloads())
        .map(found -> found.filter(job -> access.sees(job.summary().queue())));
  }

  /**
   * Returns a job as it is stored, or empty if the job is hidden. Only to be copied: nothing in it
   * is masked.
   */
  Optional<JobDetails> stored(JobId id) {
    Panel<Optional<JobDetails>> job = visibleJob(id).panel();
    if (job.problem() != null) {
      throw new Refusal(503, "Job %s could not be read. %s".formatted(id, job.problem()));
    }
    return job.or(Optional.empty());
  }

  private SeenJob seen(JobDetails job) {
    String payload = masked(job.payload());
    boolean complete =
        job.payload() != null
            && job.payload().length() <= MaskedJson.LONGEST
            && !String.valueOf(payload).contains(Redaction.MASK);
    return new SeenJob(
        new JobDetails(
            shown(job.summary()),
            payload,
            job.payloadVersion(),
            job.currentExecution(),
            job.leaseExpiresAt(),
            job.cancelRequestedAt(),
            brief(job.uniqueLabel()),
            job.orderingKey(),
            masked(job.progress()),
            masked(job.result()),
            masked(job.headers()),
            redaction.stack(job.stack()),
            job.executions().stream()
                .filter(attempt -> access.sees(attempt.queue()))
                .map(this::shown)
                .toList()),
        complete);
  }

  private @Nullable String masked(@Nullable String document) {
    return document == null || !access.payloads() ? null : MaskedJson.of(document, payloads).text();
  }

  private Map<String, String> masked(Map<String, String> headers) {
    Map<String, String> shown = new TreeMap<>();
    if (access.payloads()) {
      headers.forEach(
          (name, value) ->
              shown.put(name, payloads.masks(PayloadView.plain(name)) ? Redaction.MASK : value));
    }
    return shown;
  }

  private JobExecution shown(JobExecution attempt) {
    return new JobExecution(
        attempt.id(),
        attempt.attempt(),
        attempt.status(),
        attempt.queue(),
        brief(attempt.worker()),
        attempt.startedAt(),
        attempt.finishedAt(),
        redaction.error(attempt.error()));
  }

  /** Returns why a job is in its state, or empty if the job is hidden. */
  Started<Optional<JobScreen.Why>> why(JobId id) {
    var explanation = reads.why(id);
    var job = visibleJob(id);
    return () ->
        explanation
            .panel()
            .map(
                found ->
                    job.panel()
                        .or(Optional.empty())
                        .flatMap(
                            known ->
                                found.map(
                                    one ->
                                        access.seesEverything()
                                            ? explanations.of(one)
                                            : explanations.ofSomeQueues(
                                                one, known.summary(), this::isVisible))));
  }

  private boolean isVisible(JobId id) {
    return visibleJob(id).panel().or(Optional.empty()).isPresent();
  }

  /**
   * The visible schedules of a page.
   *
   * @param schedules the schedules
   * @param next the schedule after which the next page begins; null if there is none
   */
  record SchedulePage(List<SchedulesScreen.Row> schedules, @Nullable String next) {}

  /** Returns the visible schedules after a name. */
  Panel<SchedulePage> schedules(String after) {
    List<SchedulesScreen.Row> visible = new ArrayList<>();
    String last = after;
    for (int pages = 0; pages < MOST_SCHEDULE_PAGES; pages++) {
      Panel<List<ScheduleState>> page = reads.schedules(last).panel();
      List<ScheduleState> all = page.or(List.of());
      all.stream()
          .filter(one -> access.sees(one.queue()))
          .map(one -> SchedulesScreen.Row.of(one, redaction))
          .forEach(visible::add);
      boolean isLast = all.size() < Reads.ROWS;
      if (isLast || visible.size() >= Reads.ROWS) {
        String next = isLast ? null : visible.get(visible.size() - 1).name();
        return page.map(read -> new SchedulePage(List.copyOf(visible), next));
      }
      last = all.get(all.size() - 1).name();
    }
    return new Panel<>(
        new SchedulePage(List.copyOf(visible), null),
        null,
        "There are more schedules than can be searched. Use the command line.");
  }

  Started<List<Finding>> findings() {
    requireAllQueues();
    return reads.doctor().map(all -> all.stream().map(this::shown).toList());
  }

  private Finding shown(Finding finding) {
    // A check that could not run says why with the message of an exception.
    String sentence =
        finding.level() == Finding.Level.NOT_CHECKED
            ? text(finding.sentence())
            : redaction.sentence(finding.sentence());
    return new Finding(
        finding.check(),
        finding.level(),
        Ui.cut(sentence, LONGEST_SENTENCE),
        finding.meaning(),
        finding.fix());
  }

  private String text(String message) {
    return String.valueOf(redaction.message(message));
  }

  Started<List<OperationsScreen.Row>> operations() {
    return reads
        .operations()
        .map(all -> all.stream().filter(this::isVisible).map(this::shown).toList());
  }

  /** Returns the single changes of visible queues, their jobs and their schedules. */
  Started<List<JobChange>> changes() {
    return reads
        .changes()
        .map(
            all ->
                all.stream()
                    .filter(
                        change ->
                            change.queue() == null
                                ? access.seesEverything()
                                : access.sees(change.queue()))
                    .map(VisibleReads::brief)
                    .toList());
  }

  private static JobChange brief(JobChange change) {
    return new JobChange(
        change.id(),
        change.changedAt(),
        Ui.cut(change.actor(), LONGEST_TEXT),
        brief(change.reason()),
        Ui.cut(change.action(), LONGEST_TEXT),
        change.queue(),
        Ui.cut(change.target(), LONGEST_TEXT));
  }

  /** Returns an operation, or empty if it changes jobs that are hidden. */
  Started<Optional<OperationsScreen.Row>> operation(long id) {
    return reads.operation(id).map(found -> found.filter(this::isVisible).map(this::shown));
  }

  private boolean isVisible(JobOperation operation) {
    return isVisible(operation.filter());
  }

  /** Whether all jobs of a filter are visible. */
  boolean isVisible(JobQuery filter) {
    String queue = filter.queue();
    return queue == null ? access.seesEverything() : access.sees(queue);
  }

  /** Whether the visitor may read an error group as it is stored, and so search for it. */
  boolean isShownAsStored(String errorGroup) {
    return text(errorGroup).equals(errorGroup);
  }

  private OperationsScreen.Row shown(JobOperation operation) {
    return OperationsScreen.Row.of(operation, shown(operation.filter()), redaction);
  }

  /** Returns the text of a stored filter, without the values that the visitor may not see. */
  private String shown(JobQuery filter) {
    JobQuery shown = filter;
    JobQuery.PayloadField field = shown.payload();
    if (field != null && (!access.payloads() || Filters.isMasked(field, payloads))) {
      shown = shown.payload(new JobQuery.PayloadField(field.path(), Redaction.MASK));
    }
    String error = shown.error();
    if (error != null) {
      shown = shown.error(access.payloads() ? text(error) : Redaction.MASK);
    }
    String group = shown.errorGroup();
    if (group != null) {
      shown = shown.errorGroup(text(group));
    }
    return FilterText.of(shown);
  }

  Started<OperationPreview> preview(OperationAction action, JobQuery filter) {
    if (!isVisible(filter)) {
      throw Filters.needsQueue();
    }
    return reads
        .preview(action, filter)
        .map(
            preview ->
                new OperationPreview(
                    preview.action(),
                    preview.filter(),
                    null,
                    List.of(),
                    preview.jobs(),
                    preview.atLeast(),
                    shown(preview.sample()),
                    preview.newestId(),
                    preview.diedBefore()));
  }

  Started<OutboxLag> outboxLag() {
    requireAllQueues();
    return reads.outboxLag();
  }

  Started<List<RelayActivity>> relays() {
    requireAllQueues();
    return reads.relays();
  }

  Started<List<BlockedAggregate>> blockedAggregates() {
    requireAllQueues();
    return reads.blockedAggregates();
  }

  Started<List<DeadEvent>> deadEvents() {
    requireAllQueues();
    return reads
        .deadEvents()
        .map(
            all ->
                all.stream()
                    .map(
                        event ->
                            new DeadEvent(
                                event.id(),
                                event.aggregate(),
                                event.type(),
                                event.diedAt(),
                                event.failures(),
                                text(event.reason())))
                    .toList());
  }
}
