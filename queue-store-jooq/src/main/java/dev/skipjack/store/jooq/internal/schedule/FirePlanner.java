package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Fire;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines the jobs and the next planned time of a due schedule. Calls the code of the
 * application, which may throw anything. Thread-safe.
 */
final class FirePlanner {

  /**
   * The time after which no further job of a plan is created. Later plans contain the others. A
   * worker interrupts a plan much later.
   */
  static final Duration LONGEST = Duration.ofSeconds(5);

  private final JobFactory jobs;
  private final LongSupplier nanoTime;

  /**
   * @param nanoTime the clock, for example {@link System#nanoTime}
   */
  FirePlanner(JobFactory jobs, LongSupplier nanoTime) {
    this.jobs = jobs;
    this.nanoTime = nanoTime;
  }

  /**
   * Plans a due schedule.
   *
   * @throws IllegalStateException if its row cannot be read
   */
  Firing firing(Due due, @Nullable Schedule declared) {
    if (due.row() instanceof UnreadableRow odd) {
      throw new IllegalStateException("The row cannot be read. " + odd.reason());
    }
    StoredSchedule schedule = (StoredSchedule) due.row();
    long began = nanoTime.getAsLong();
    Timing timing = timing(schedule, declared);
    StoredSchedule.Progress progress = schedule.progress();
    Instant planned = progress.nextAt();
    FirePlan plan =
        planned == null || schedule.pausedAt() != null
            ? new FirePlan(List.of(), planned)
            : FirePlan.of(
                schedule.definition(),
                timing,
                planned,
                schedule.firedOrChangedAt(),
                due.now().minus(schedule.share()),
                progress.missedUntil());
    List<Fire> fires = new ArrayList<>();
    Instant requested = progress.requestedAt();
    if (requested != null) {
      fires.add(fire(schedule, requested, declared));
    }
    for (Instant at : plan.fires()) {
      if (!fires.isEmpty() && nanoTime.getAsLong() - began > LONGEST.toNanos()) {
        plan = plan.before(at);
        break;
      }
      fires.add(fire(schedule, at, declared));
    }
    if (schedule.definition().overlap() == Overlap.CANCEL_PREVIOUS && fires.size() > 1) {
      fires.subList(0, fires.size() - 1).clear(); // the last one would cancel the others
    }
    Instant last =
        plan.fires().isEmpty() ? progress.lastAt() : plan.fires().get(plan.fires().size() - 1);
    StoredSchedule moved =
        schedule.with(
            new StoredSchedule.Progress(
                schedule.due(plan.next()),
                plan.next(),
                last,
                null,
                null,
                Objects.equals(plan.next(), planned) ? progress.zoneRules() : ZoneRules.of(timing),
                progress.missedUntil()));
    return new Firing(schedule, moved, fires);
  }

  /**
   * Returns the timing that code declared, with its predicates, unless an operator has changed it.
   */
  private static Timing timing(StoredSchedule schedule, @Nullable Schedule declared) {
    StoredTiming stored = schedule.definition().timing();
    return declared != null && StoredTiming.of(declared.timing()).equals(stored)
        ? declared.timing()
        : stored.timing();
  }

  private Fire fire(StoredSchedule schedule, Instant at, @Nullable Schedule declared) {
    ScheduledFire fire = new ScheduledFire(schedule.name(), at);
    NewJob job = job(schedule, at, declared).firedBy(fire);
    return new Fire(
        fire,
        schedule.definition().overlap() == Overlap.SKIP_WHILE_LIVE
            ? job.unique(
                new UniqueKey("schedule/" + schedule.name(), schedule.name(), UniqueUntil.DEAD))
            : job);
  }

  private NewJob job(StoredSchedule schedule, Instant at, @Nullable Schedule declared) {
    StoredSchedule.Job job = schedule.definition().job();
    String payload = job.payload();
    if (payload == null) {
      if (declared == null || !declared.makesPayload()) {
        throw new IllegalStateException(
            "Code makes the payload of schedule '%s', but this worker's declaration does not."
                .formatted(schedule.name()));
      }
      return Declaration.newJob(declared, at, jobs);
    }
    EnqueueOptions options = EnqueueOptions.none().tags(job.tags());
    if (job.priority() != null) {
      options = options.priority(job.priority());
    }
    if (job.maxAttempts() != null) {
      options = options.maxAttempts(job.maxAttempts());
    }
    JobType<?> type =
        JobType.of(job.kind(), Object.class)
            .onQueue(job.queue())
            .payloadVersion(job.payloadVersion());
    return NewJob.of(type, payload, options);
  }
}
